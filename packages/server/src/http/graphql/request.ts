import { violation } from '../../errors.ts';
import type { GraphqlRequest } from '../../graphql/engine.ts';

/**
 * The parameters of a request (https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters).
 * Those that nobody knows are passed over, `extensions` among them.
 * @throws ServiceError VALIDATION_ERROR
 */
export function readGraphqlRequest(body: unknown): GraphqlRequest {
  if (Array.isArray(body)) {
    throw violation('body', 'batch', 'Batches are not supported: send one operation per request.');
  }
  if (!isObject(body)) throw violation('body', 'type', 'The request body must be an object.');
  const { query, operationName = null, variables, extensions } = body;
  if (query === undefined) throw violation('query', 'required', 'query is required.');
  if (typeof query !== 'string') throw violation('query', 'type', 'query must be a string.');
  if (operationName !== null && typeof operationName !== 'string') {
    throw violation('operationName', 'type', 'operationName must be a string.');
  }
  optionalObject('extensions', extensions);
  return { query, operationName, variables: optionalObject('variables', variables) };
}

function optionalObject(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw violation(name, 'type', `${name} must be an object.`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
