import type { Operation, OperationId } from './contract.ts';
import { violation } from './generated/rules/errors.ts';
import { readParameters, refuseUnknown } from './generated/rules/parameters.ts';
import { checkBody, checkParameters } from './generated/rules/violations.ts';
import { requestValidators } from './generated/validators/index.js';

/** Maximum body of an operation without a document, in bytes. */
const maxBytes = 1024 * 1024;

/**
 * Validates the body of a request and fills in defaults.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function validateBody(id: OperationId, body: unknown): unknown {
  const { body: validate } = requestValidators[id];
  if (validate) checkBody(validate, body);
  return body;
}

/** The body of a request as it was sent: bytes for an operation that takes bytes, text otherwise. */
export type SentBody = string | Uint8Array<ArrayBuffer>;

/**
 * Parses the body of a request.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function readBody({ id, body }: Operation, sent: SentBody, contentType: string): unknown {
  if (body === 'none') return undefined;
  if (typeof sent === 'string') return readJson({ id, body }, sent, contentType);
  if (/^application\/octet-stream *(?:;|$)/i.test(contentType)) return sent;
  throw violation('Content-Type', 'contentType', 'Send the body as application/octet-stream.');
}

function readJson(
  { id, body }: Pick<Operation, 'id' | 'body'>,
  text: string,
  contentType: string,
): unknown {
  if (text === '' && body === 'optional') return {};
  if (text === '') throw violation('body', 'required', 'This operation needs a JSON body.');
  if (id !== 'createDocument' && text.length > maxBytes) {
    throw violation('body', 'maxBytes', `The request body must be at most ${maxBytes} bytes.`);
  }
  if (!/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(contentType)) {
    throw violation('Content-Type', 'contentType', 'Send the body as application/json.');
  }
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]*)/i.exec(contentType) ?? [];
  if (!/^utf-?8$/i.test(charset)) {
    throw violation('Content-Type', 'charset', 'Send the body in UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw violation('body', 'json', 'The request body is not valid JSON.');
  }
}

/**
 * Validates the query of a request and converts values to the types of the contract.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function validateQuery(
  { id, parameters }: Operation,
  query: string,
): Record<string, unknown> {
  const sent = readParameters(query, 'query');
  refuseUnknown(
    sent,
    parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name),
  );
  const values = { ...sent };
  const { query: validate } = requestValidators[id];
  if (validate) checkParameters(validate, values);
  return values;
}

/**
 * Validates the headers that the contract describes.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function validateHeaders({ id, parameters }: Operation, headers: Headers): void {
  const values: Record<string, unknown> = {};
  for (const { name, in: place } of parameters) {
    const value = place === 'header' ? headers.get(name) : null;
    if (value !== null) values[name] = value;
  }
  const { headers: validate } = requestValidators[id];
  if (validate) checkParameters(validate, values);
}
