import type { ApiError } from '../errors.ts';
import type { CallOptions } from '../options.ts';
import type { Answer } from './exchange.ts';

/** Where a client keeps its {@link GraphqlAccess}: the same symbol in every copy of the package. */
export const accessKey: unique symbol = Symbol.for('@document-vault/sdk/access');

/** A request for GraphQL, with the options of the call. */
export interface GraphqlPost extends CallOptions {
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** What the package's entry for GraphQL uses of a client. */
export interface GraphqlAccess {
  readonly url: string;
  readonly method: 'POST';
  readonly path: string;
  /** Sends through the client's door. */
  send(post: GraphqlPost): Promise<Answer>;
  /** Makes the error of an answer, of the client's own classes: another entry may have copies. */
  error(answer: Answer): ApiError;
}
