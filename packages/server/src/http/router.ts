import { pathToRegexp } from 'path-to-regexp';
import { contractOperations, type Operation } from '../contract/contract.ts';
import { createRequestValidator } from '../contract/validation.ts';
import { writtenId } from '../generated/rules/ids.ts';
import type { Handlers, ReplayChecks } from './handlers.ts';
import {
  type AnyHandler,
  type AnyReplayCheck,
  type Context,
  pathOf,
  type Route,
} from './request.ts';

export interface Match {
  readonly route: Route;
  /** The decoded path parameters. */
  readonly path: Readonly<Record<string, string>>;
}

export interface Router {
  /** Returns the operation of a request's method and path; undefined when there is none. HEAD is read as GET. */
  match(ctx: Context): Match | undefined;
  /** Returns the methods of a path; none for an unknown path. */
  methodsOf(path: string): string[];
}

/** In the order of `Allow`. */
const methods = ['GET', 'POST', 'PUT', 'DELETE'];

export interface RouterOptions {
  readonly handlers: Handlers;
  readonly replayChecks: ReplayChecks;
}

/**
 * Routes every operation of the contract, under its path and its aliases.
 *
 * @throws Error when an operation has no handler, or a handler no operation
 */
export function createRouter({ handlers, replayChecks }: RouterOptions): Router {
  assertComplete(new Set(Object.keys(handlers)));
  const routes = new Map(
    contractOperations.map((operation) => [
      operation.id,
      createRoute(operation, {
        handler: handlers[operation.id] as AnyHandler,
        checkReplay: replayChecks[operation.id] as AnyReplayCheck | undefined,
      }),
    ]),
  );
  const tables = new Map(methods.map((method): [string, Entry[][]] => [method, []]));
  for (const { path, operation } of paths()) {
    const method = operation.method.toUpperCase();
    const entry = createEntry(path, routes.get(operation.id) as Route);
    const ofMethod = tables.get(method) as Entry[][];
    const segments = segmentsOf(path);
    ofMethod[segments] = [...(ofMethod[segments] ?? []), entry];
  }
  const find = (method: string, path: string): Match | undefined => {
    for (const entry of tables.get(method)?.[segmentsOf(path)] ?? []) {
      const values = path.startsWith(entry.prefix) ? entry.regexp.exec(path) : null;
      if (values) return { route: entry.route, path: parametersOf(entry, values) };
    }
    return undefined;
  };
  return {
    match: ({ req }) => find(req.method === 'HEAD' ? 'GET' : (req.method ?? ''), pathOf(req)),
    methodsOf: (path) =>
      methods
        .filter((method) => find(method, path))
        .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)),
  };
}

interface Entry {
  /** The path before its first parameter: comparing it costs less than the expression. */
  readonly prefix: string;
  readonly regexp: RegExp;
  /** The names of its parameters, in the order of the groups. */
  readonly names: readonly string[];
  readonly route: Route;
}

/** Paths are compared exactly: another spelling is another path. */
function createEntry(path: string, route: Route): Entry {
  const { regexp, keys } = pathToRegexp(toPattern(path), { sensitive: true, trailing: false });
  const [prefix = ''] = path.split('{');
  return { prefix, regexp, names: keys.map(({ name }) => name), route };
}

/** The names come from the contract. `match` of the library would create a slow object without prototype. */
function parametersOf({ names }: Entry, values: RegExpExecArray): Match['path'] {
  const path: Record<string, string> = {};
  for (let at = 0; at < names.length; at += 1) {
    path[names[at] as string] = writtenId(decodeSegment(values[at + 1] as string));
  }
  return path;
}

/** A segment that is not valid percent-encoding is an id that does not exist. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function createRoute(
  operation: Operation,
  handling: Pick<Route, 'handler' | 'checkReplay'>,
): Route {
  const { parameters } = operation;
  return {
    operation,
    ...handling,
    validator: createRequestValidator(operation),
    takesHeaders: parameters.some((parameter) => parameter.in === 'header'),
    takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
  };
}

/** Routes are tried one by one: those of one method and number of segments are few. */
function segmentsOf(path: string): number {
  let segments = 0;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) segments += 1;
  return segments;
}

function assertComplete(handlers: ReadonlySet<string>): void {
  const operations = new Set<string>(contractOperations.map(({ id }) => id));
  const problems = [
    ...[...operations]
      .filter((id) => !handlers.has(id))
      .map((id) => `operation ${id} has no handler`),
    ...[...handlers]
      .filter((id) => !operations.has(id))
      .map((id) => `handler ${id} has no operation`),
  ];
  if (problems.length > 0) {
    throw new Error(`contract and handlers differ: ${problems.join('; ')}`);
  }
}

/** Every path with its operation, literal segments before parameters: the first match counts. */
function paths(): { path: string; operation: Operation }[] {
  return contractOperations
    .flatMap((operation) =>
      [operation.path, ...operation.aliases].map((path) => ({ path, operation })),
    )
    .sort((a, b) => compareSpecificity(a.path, b.path));
}

function compareSpecificity(a: string, b: string): number {
  const rank = (path: string) => path.replaceAll(/\{[^}]+\}/g, '\uffff');
  return rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0;
}

function toPattern(path: string): string {
  return path.replaceAll(/\{([^}]+)\}/g, ':$1');
}
