import { type MatchFunction, match } from 'path-to-regexp';
import { contractOperations, type Operation } from '../contract/contract.ts';
import { createRequestValidator } from '../contract/validation.ts';
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
  /** Returns the operation of a request's method and path; undefined when there is none. */
  match(ctx: Context): Match | undefined;
}

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
  const tables = new Map<string, Entry[]>();
  for (const { path, operation } of paths()) {
    const kind = kindOf(operation.method.toUpperCase(), path);
    const matchPath = match<Match['path']>(toPattern(path), matching);
    const entry = { matchPath, route: routes.get(operation.id) as Route };
    tables.set(kind, [...(tables.get(kind) ?? []), entry]);
  }
  return {
    match({ req }) {
      const path = pathOf(req);
      for (const { matchPath, route } of tables.get(kindOf(req.method ?? '', path)) ?? []) {
        const found = matchPath(path);
        if (found) return { route, path: found.params };
      }
      return undefined;
    },
  };
}

interface Entry {
  readonly matchPath: MatchFunction<Match['path']>;
  readonly route: Route;
}

/** Paths are compared exactly: another spelling is another path. */
const matching = { sensitive: true, trailing: false, decode: decodeSegment };

/** A segment that is not valid percent-encoding is an id that does not exist. */
function decodeSegment(segment: string): string {
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
    takesQuery: parameters.some((parameter) => parameter.in === 'query'),
    takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
  };
}

/** The key of a table: method and number of segments. Routes are tried one by one, so each table has few. */
function kindOf(method: string, path: string): string {
  let segments = 0;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) segments += 1;
  return `${method} ${segments}`;
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
