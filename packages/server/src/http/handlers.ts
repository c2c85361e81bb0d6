import type { OperationId } from '../contract/contract.ts';
import type { Actor, Visitor } from '../domain/actor.ts';
import type { operations } from '../generated/openapi.ts';
import type { Base64Answer } from './base64-answer.ts';
import type { Serialised } from './serialised.ts';

type Parameters<Id extends OperationId> = operations[Id]['parameters'];

/** Query parameters for which the contract has a default: validation fills them in. */
type Defaulted = 'page' | 'pageSize' | 'sortBy';

type WithDefaults<Query> = Query & Required<Pick<Query, Extract<keyof Query, Defaulted>>>;

type QueryOf<Id extends OperationId> = WithDefaults<NonNullable<Parameters<Id>['query']>>;

type PathOf<Id extends OperationId> = NonNullable<Parameters<Id>['path']>;

type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? Body
  : undefined;

type SuccessOf<Responses> = Responses extends
  | { 200: { content: { 'application/json': infer Body } } }
  | { 201: { content: { 'application/json': infer Body } } }
  ? Body
  : never;

/** What an operation answers; nothing for those that answer 204. */
type Answer<Result> = [Result] extends [never]
  ? Promise<void>
  : Result | Serialised<Result> | Promise<Result | LargeForm<Result>>;

/** How an answer with a large text is written. */
type LargeForm<Result> = Result extends { encryptedData: string } ? Base64Answer : never;

/** A request whose parameters and body the contract has approved. */
export interface HandlerRequest<Id extends OperationId> {
  /** Who calls, signed in or not. */
  readonly visitor: Visitor;
  /** The account that calls. Reading it in an operation without credentials is a programming error. */
  readonly actor: Actor;
  readonly path: PathOf<Id>;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
  /** What `encryptedData` of the body stands for, where it was large; the body has a placeholder then. */
  readonly content: Buffer | undefined;
}

/** Does what an operation says and answers its body; the contract has the status. */
export type Handler<Id extends OperationId> = (
  request: HandlerRequest<Id>,
) => Answer<SuccessOf<operations[Id]['responses']>>;

export type Handlers = {
  readonly [Id in OperationId]: Handler<Id>;
};

/** Checks the stored result of an operation before it is replayed for an Idempotency-Key. */
export type ReplayChecks = {
  readonly [Id in OperationId]?: (result: SuccessOf<operations[Id]['responses']>) => Promise<void>;
};
