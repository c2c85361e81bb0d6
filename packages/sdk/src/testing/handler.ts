import type { operations } from '../generated/openapi.ts';
import type { OperationId } from '../generated/operation-id.ts';
import type { Actor, AnonymousPrincipal } from './actor.ts';
import type { State } from './state.ts';

type Parameters<Id extends OperationId> = operations[Id]['parameters'];

/** What validation fills in where a request leaves it out. */
type Defaulted<Id extends OperationId> =
  | 'page'
  | 'pageSize'
  | 'sortBy'
  | (Id extends 'createWebhook' ? 'active' : never)
  | (Id extends 'createInstance' ? 'region' : never)
  | (Id extends 'shareDocument' ? 'permissions' | 'maxAccessCount' | 'access' : never);

type WithDefaults<Id extends OperationId, Input> = Input &
  Required<Pick<Input, Extract<keyof Input, Defaulted<Id>>>>;

type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? WithDefaults<Id, Body>
  : undefined;

type SuccessOf<Responses> = Responses extends
  | { 200: { content: { 'application/json': infer Body } } }
  | { 201: { content: { 'application/json': infer Body } } }
  ? Body
  : undefined;

/** A request that was admitted and whose parameters and body the contract has approved. */
export interface Call<Id extends OperationId> {
  readonly state: State;
  readonly principal: AnonymousPrincipal;
  /** Who calls; where nobody has to sign in, reading it is a mistake in the kit. */
  readonly actor: Actor;
  readonly isSignedIn: boolean;
  readonly path: NonNullable<Parameters<Id>['path']>;
  readonly query: WithDefaults<Id, NonNullable<Parameters<Id>['query']>>;
  readonly body: BodyOf<Id>;
}

/**
 * Does what an operation says, and answers its body.
 *
 * @throws Failure
 */
export type Handler<Id extends OperationId> = (
  call: Call<Id>,
) => SuccessOf<operations[Id]['responses']>;

/**
 * One handler for each operation of the contract: the compiler refuses that one is missing. Of the
 * contract's operations, those that are called `on…` are events.
 */
export type Handlers = {
  readonly [Id in Exclude<keyof operations, `on${string}`>]: Handler<Id>;
};
