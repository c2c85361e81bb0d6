import { ServiceError, violation } from '../../errors.ts';
import type { Context } from '../request.ts';

/** What answers are written as (https://graphql.github.io/graphql-over-http/draft/#sec-Media-Types). */
const json = 'application/json';
const graphqlJson = 'application/graphql-response+json';

export type MediaType = typeof json | typeof graphqlJson;

const charset = 'charset=utf-8';

/** A refusal that the protocol of GraphQL over HTTP has a status for, and REST none. */
export class ProtocolError extends ServiceError {
  readonly httpStatus: 405 | 406 | 415;

  constructor(httpStatus: 405 | 406 | 415, [field, constraint, message]: [string, string, string]) {
    const { details } = violation(field, constraint, message);
    super('VALIDATION_ERROR', { message, details });
    this.httpStatus = httpStatus;
  }
}

/** The media type that the caller likes best; undefined when it takes none of them. */
export function wantedMediaType(ctx: Context): MediaType | undefined {
  // A caller who says nothing, or anything, may know the older one alone.
  const offers = [json, graphqlJson, `${json}; ${charset}`, `${graphqlJson}; ${charset}`];
  const wanted = ctx.accepts(...offers);
  if (wanted === false) return undefined;
  return String(wanted).startsWith(json) ? json : graphqlJson;
}

/** @throws ProtocolError 406 */
export function requireMediaType(ctx: Context): void {
  if (wantedMediaType(ctx) !== undefined) return;
  const message = `Accept ${graphqlJson} or ${json}.`;
  throw new ProtocolError(406, ['Accept', 'mediaType', message]);
}

/** @throws ProtocolError 415 for a body that is no JSON in UTF-8 */
export function requireJsonBody(ctx: Context): void {
  const [type = '', ...parameters] = ctx
    .get('content-type')
    .toLowerCase()
    .split(/\s*;\s*/);
  const encoding = parameters.find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = encoding === undefined || /^charset="?utf-8"?$/.test(encoding);
  if (type.trim() === json && isUtf8) return;
  const message = `Send the request as ${json}, in UTF-8.`;
  throw new ProtocolError(415, ['Content-Type', 'contentType', message]);
}
