import Router from '@koa/router';
import type { DefaultContext } from 'koa';
import { contractOperations, type Operation } from '../contract/contract.ts';
import type { Auth } from '../domain/accounts/auth.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import { notFound } from '../errors.ts';
import type { FaultBook } from '../fault-injection.ts';
import type { Bodies } from './bodies/bodies.ts';
import type { Handlers, ReplayChecks } from './handlers.ts';
import {
  authenticate,
  refuseSuspendedAccounts,
  requireRole,
  requireScopes,
} from './middleware/authentication.ts';
import { meetFaults } from './middleware/faults.ts';
import { type AnyHandler, type AnyReplayCheck, callHandler } from './middleware/handler.ts';
import { limitRate, type RateLimitOptions } from './middleware/rate-limit.ts';
import { validateRequest } from './middleware/validation.ts';
import type { Context, Gate, RequestState, Step } from './state.ts';

export interface RouterOptions {
  readonly handlers: Handlers;
  readonly replayChecks: ReplayChecks;
  readonly auth: Auth;
  readonly idempotency: Idempotency;
  readonly rateLimit: RateLimitOptions;
  readonly bodies: Bodies;
  /** Undefined: none can be ordered. */
  readonly faults?: FaultBook | undefined;
}

/**
 * Mounts every operation of the contract, under its path and its aliases.
 * @throws Error when an operation has no handler, or a handler no operation
 */
export function createRouter(options: RouterOptions): Step {
  const handlers = new Map<string, AnyHandler>(
    Object.entries(options.handlers) as [string, AnyHandler][],
  );
  assertComplete(handlers);

  const routers = new Map<string, Router<RequestState, DefaultContext>>();
  for (const { path, operation } of routes()) {
    // Complete, as was asserted.
    const handler = handlers.get(operation.id) as AnyHandler;
    const way = wayOf(operation, handler, options);
    const kind = kindOf(operation.method.toUpperCase(), path);
    const router = routers.get(kind) ?? newRouter();
    router.register(toRoutePath(path), [operation.method], way);
    routers.set(kind, router);
  }
  const ways = new Map([...routers].map(([kind, router]) => [kind, routesOf(router)]));
  return (ctx, next) => ways.get(kindOf(ctx.method, ctx.path))?.(ctx, next) ?? next();
}

/** What the routes of one router share: a router tries its routes one by one, so each gets few. */
function kindOf(method: string, path: string): string {
  let segments = 0;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) segments += 1;
  return `${method} ${segments}`;
}

function newRouter() {
  // Paths are compared letter by letter: another spelling is another path, and not found.
  return new Router<RequestState, DefaultContext>({ sensitive: true, strict: true });
}

function routesOf(router: Router<RequestState, DefaultContext>): Step {
  // A HEAD that the router adds to each GET would do what the GET does: open a share, for example.
  for (const layer of router.stack) layer.methods = layer.methods.filter((name) => name !== 'HEAD');
  return router.routes() as Step;
}

/** The way of one request, in the order in which the contract says it is judged. */
function wayOf(operation: Operation, handler: AnyHandler, options: RouterOptions): Step {
  const { auth, faults } = options;
  const admission = admissionGates(operation, options);
  const execution = executionGates(operation, handler, options);
  const meet = faults && meetFaults(operation, faults);
  return async (ctx) => {
    try {
      await pass(admission, ctx);
      await (meet ? meet(ctx, () => pass(execution, ctx)) : pass(execution, ctx));
    } catch (error) {
      const { actor } = ctx.state;
      throw actor ? await auth.explain(actor, error) : error;
    }
  };
}

function admissionGates(operation: Operation, { auth, rateLimit }: RouterOptions): Gate[] {
  return [
    noteOperation(operation),
    authenticate(operation, auth, rateLimit),
    refuseSuspendedAccounts,
    limitRate(rateLimit),
  ];
}

function executionGates(
  operation: Operation,
  handler: AnyHandler,
  { idempotency, replayChecks, bodies }: RouterOptions,
): Gate[] {
  const checkReplay = replayChecks[operation.id] as AnyReplayCheck | undefined;
  return [
    requireScopes(operation),
    requireRole(operation),
    ...(operation.body === 'none' ? [] : [bodies.readJson(operation)]),
    validateRequest(operation),
    callHandler(operation, { handler, idempotency, checkReplay }),
  ];
}

/** One gate after the other. They wrap nothing, so they need none of a middleware's cost. */
async function pass(gates: readonly Gate[], ctx: Context): Promise<void> {
  for (const gate of gates) await gate(ctx);
}

function noteOperation(operation: Operation): Gate {
  return ({ state }) => {
    state.operation = operation;
  };
}

/** Unknown paths count on the address; above its limit they are 429 instead of 404. */
export function answerNotFound(rateLimit: RateLimitOptions): Step {
  const limitAddress = limitRate(rateLimit);
  return async (ctx) => {
    await limitAddress(ctx);
    throw notFound('path');
  };
}

function assertComplete(handlers: ReadonlyMap<string, unknown>): void {
  const operations = new Set<string>(contractOperations.map(({ id }) => id));
  const problems = [
    ...[...operations]
      .filter((id) => !handlers.has(id))
      .map((id) => `operation ${id} has no handler`),
    ...[...handlers.keys()]
      .filter((id) => !operations.has(id))
      .map((id) => `handler ${id} has no operation`),
  ];
  if (problems.length > 0) {
    throw new Error(`contract and handlers differ: ${problems.join('; ')}`);
  }
}

/** Every path with its operation, literal segments before parameters: the first that matches is meant. */
function routes(): { path: string; operation: Operation }[] {
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

function toRoutePath(path: string): string {
  return path.replaceAll(/\{([^}]+)\}/g, ':$1');
}
