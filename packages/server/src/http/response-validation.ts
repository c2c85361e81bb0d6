import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Logger } from 'pino';
import { contractDocument, type Operation, resolvePointer } from '../contract/contract.ts';
import { deletedMeanwhile } from '../domain/documents/documents.ts';
import { notFound, ServiceError } from '../generated/rules/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { DocumentStream, errorReply, StreamedBody, toServiceError } from './replies.ts';
import type { Context, FlatHeaders, Reply } from './request.ts';

interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

/** Returns the validator of the schema at a JSON pointer; headers are texts, which are coerced. */
type Compile = (kind: 'body' | 'header', pointer: string) => ValidateFunction;

/** Created for the first validated response, and shared by the servers of a process. */
let compile: Compile | undefined;

/** Loads Ajv, which a server without response validation does not need. */
async function createCompile(): Promise<Compile> {
  const { createAjv } = await import('../contract/ajv.ts');
  const ajv = {
    body: createAjv(contractDocument),
    header: createAjv(contractDocument, { coerceTypes: true }),
  };
  const compiled = new Map<string, ValidateFunction>();
  return (kind, pointer) => {
    const validate = compiled.get(pointer) ?? ajv[kind].compile({ $ref: `contract${pointer}` });
    compiled.set(pointer, validate);
    return validate;
  };
}

/**
 * Validates the status, headers and body of a response against the contract. A response that violates it is
 * logged and replaced by INTERNAL_ERROR, that of a document which was deleted meanwhile by NOT_FOUND.
 */
export type ResponseValidation = (
  ctx: Context,
  reply: Reply,
  headers: FlatHeaders,
) => Promise<Reply>;

export function createResponseValidation(clock: Clock, log: Logger): ResponseValidation {
  return async (ctx, reply, headers) => {
    const { graphql, route } = ctx.state;
    // GraphQL has its own schema, which graphql-js applies to its responses.
    if (graphql) return reply;
    const operation = route?.operation;
    try {
      const problems = await problemsOf(operation, reply, headers);
      if (problems.length === 0) return reply;
      const { status } = reply;
      log.error({ operation: operation?.id, status, problems }, 'response breaks the contract');
      return errorReply(ctx, new ServiceError('INTERNAL_ERROR'), clock);
    } catch (error) {
      return errorReply(ctx, unreadable(ctx, error, log), clock);
    }
  };
}

/** Returns the error of a body that could not be read to its end. */
function unreadable(ctx: Context, error: unknown, log: Logger): ServiceError {
  const isDeleted = error instanceof Error && 'code' in error && error.code === deletedMeanwhile;
  return isDeleted ? notFound('document') : toServiceError(error, ctx, log);
}

async function problemsOf(
  operation: Operation | undefined,
  reply: Reply,
  headers: FlatHeaders,
): Promise<string[]> {
  const pointer = responsePointer(operation, reply.status);
  const response = pointer && (resolvePointer(pointer) as ResponseObject | undefined);
  if (!response) return [`status ${reply.status} is not in the contract`];
  compile ??= await createCompile();
  const problems =
    response.content && binaryType in response.content
      ? binaryProblems(reply)
      : await bodyProblems(reply, response.content && compile('body', placeOf(pointer)));
  return [...problems, ...headerProblems(headers, response, compile)];
}

const binaryType = 'application/octet-stream';

function placeOf(pointer: string): string {
  return `${pointer}/content/application~1json/schema`;
}

/** The bytes are not read here: they would be read from the store twice. */
function binaryProblems({ type, body }: Reply): string[] {
  if (type !== binaryType) return [`has the type ${type}`];
  return body instanceof StreamedBody || Buffer.isBuffer(body) ? [] : ['has no bytes'];
}

/** @param validate - undefined for a response without a body */
async function bodyProblems(
  reply: Reply,
  validate: ValidateFunction | undefined,
): Promise<string[]> {
  if (!validate) return reply.body === undefined ? [] : ['has a body'];
  return validate(await bodyOf(reply)) ? [] : describe(validate.errors, 'body');
}

function bodyOf({ body }: Reply): unknown {
  if (body instanceof DocumentStream) return json(Readable.from(body.pieces()));
  return typeof body === 'string' ? JSON.parse(body) : body;
}

function headerProblems(
  headers: FlatHeaders,
  response: ResponseObject,
  compile: Compile,
): string[] {
  return Object.entries(response.headers ?? {}).flatMap(([name, { $ref }]) => {
    const { required } = resolvePointer($ref) as { required?: boolean };
    const at = headers.indexOf(name);
    if (at === -1) return required ? [`${name} is missing`] : [];
    const validate = compile('header', `${$ref}/schema`);
    return validate(headers[at + 1]) ? [] : describe(validate.errors, name);
  });
}

/** Responses to requests without operation; 204 is the response to a CORS preflight. */
const withoutOperation: Readonly<Record<number, string>> = {
  204: '#/components/responses/NoContent',
  403: '#/components/responses/Blocked',
  404: '#/components/responses/NotFound',
  429: '#/components/responses/TooManyRequests',
  500: '#/components/responses/InternalError',
};

/** Where the contract describes a response. */
function responsePointer(operation: Operation | undefined, status: number): string | undefined {
  if (!operation) return withoutOperation[status];
  const pointer = `${operation.pointer}/responses/${status}`;
  const response = resolvePointer(pointer) as ResponseObject | undefined;
  return response?.$ref ?? (response && pointer);
}

function describe(errors: ErrorObject[] | null | undefined, place: string): string[] {
  return (errors ?? []).map((error) => `${place}${error.instancePath} ${error.message}`);
}
