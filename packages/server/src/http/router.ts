import { Router as KoaRouter, type Layer } from '@koa/router';
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

export type Router = ReturnType<typeof createRouter>;

/** In the order of `Allow`. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/**
 * Routes every operation of the contract, under its path and its aliases. Paths are compared exactly: another spelling
 * is another path. The pipeline calls the handlers, so the layers of @koa/router have none.
 *
 * @throws Error when an operation has no handler, or a handler no operation
 */
export function createRouter(handlers: Handlers, replayChecks: ReplayChecks) {
  assertComplete(new Set(Object.keys(handlers)));
  const routes = new Map<string | undefined, Route>(
    contractOperations.map((operation) => [
      operation.id,
      createRoute(operation, {
        handler: handlers[operation.id] as AnyHandler,
        checkReplay: replayChecks[operation.id] as AnyReplayCheck | undefined,
      }),
    ]),
  );
  /** One router per resource, because a router tries all of its layers. */
  const routers = new Map<string, KoaRouter>();
  for (const { path, operation } of paths()) {
    const resource = resourceOf(path);
    const router = routers.get(resource) ?? new KoaRouter({ sensitive: true, strict: true });
    routers.set(
      resource,
      router[operation.method](operation.id, toPattern(path), () => {}),
    );
  }
  return {
    /** Returns the operation of a request's method and path; undefined when there is none. HEAD is read as GET. */
    match({ req }: Context): Match | undefined {
      const path = pathOf(req);
      const found = routers.get(resourceOf(path))?.match(path, req.method ?? '');
      const [layer] = found?.pathAndMethod ?? [];
      const route = routes.get(layer?.name);
      return layer && route && { route, path: parametersOf(layer, path) };
    },
    /** Returns the methods of a path; none for an unknown path. */
    methodsOf(path: string): string[] {
      const layers = routers.get(resourceOf(path))?.match(path, '').path ?? [];
      return methods.filter((method) => layers.some((layer) => layer.methods.includes(method)));
    },
  };
}

/** Returns the beginning of a path that all paths of a resource share, for example `/api/v1/vaults`. */
function resourceOf(path: string): string {
  return /^\/(?:api\/v1\/)?[^/]*/.exec(path)?.[0] ?? '';
}

/** A segment that is not valid percent-encoding stays as it is: an id that does not exist. */
function parametersOf(layer: Layer, path: string): Match['path'] {
  const values = layer.params(path, layer.captures(path));
  for (const name in values) values[name] = writtenId(values[name] as string);
  return values;
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
