import type { operations } from '@document-vault/sdk/http';
import type { Actor, Visitor } from './actor.ts';
import type { OperationId } from './contract.ts';
import type { Reply } from './responses.ts';
import type { State } from './state.ts';

type Parameters<Id extends OperationId> = operations[Id]['parameters'];

/** Properties with a default, which validation fills in. */
type Defaulted<Id extends OperationId> =
  | 'page'
  | 'pageSize'
  | 'sortBy'
  | 'content'
  | (Id extends 'createWebhook' ? 'active' : never)
  | (Id extends 'createOAuthClient' ? 'redirectUris' | 'grantTypes' | 'requirePar' : never)
  | (Id extends 'createInstance' ? 'region' : never)
  | (Id extends 'shareDocument' ? 'permissions' | 'maxAccessCount' | 'access' : never);

type WithDefaults<Id extends OperationId, Input> = Input &
  Required<Pick<Input, Extract<keyof Input, Defaulted<Id>>>>;

interface Binary {
  content: { 'application/octet-stream': string };
}

type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? WithDefaults<Id, Body>
  : operations[Id] extends { requestBody: Binary }
    ? Uint8Array<ArrayBuffer>
    : undefined;

type SuccessOf<Operation> = Operation extends
  | { responses: { 200: { content: { 'application/json': infer Body } } } }
  | { responses: { 201: { content: { 'application/json': infer Body } } } }
  ? Body
  : Operation extends { requestBody: Binary } | { responses: { 200: Binary } }
    ? Promise<Reply>
    : undefined;

/** An authorized request with validated parameters and body. */
export interface Call<Id extends OperationId> {
  readonly state: State;
  /** With the account and the scopes, if the sender has credentials. */
  readonly principal: Visitor & Partial<Pick<Actor, 'user' | 'scopes'>>;
  /** The caller. Reading it throws in an operation without credentials. */
  readonly actor: Actor;
  readonly isSignedIn: boolean;
  /** Whether the method is HEAD: the request must have no effect. */
  readonly isHead: boolean;
  readonly path: NonNullable<Parameters<Id>['path']>;
  readonly query: WithDefaults<Id, NonNullable<Parameters<Id>['query']>>;
  readonly headers: Headers;
  readonly body: BodyOf<Id>;
}

/**
 * Performs an operation and returns its body. Operations with bytes return a reply.
 *
 * @throws ServiceError
 */
export type Handler<Id extends OperationId> = (call: Call<Id>) => SuccessOf<operations[Id]>;

/**
 * A handler for each operation of the contract; a missing one is a type error. Operations named `on…`
 * are events.
 */
export type Handlers = {
  readonly [Id in OperationId]: Handler<Id>;
};
