import { json } from 'node:stream/consumers';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { type Operation, resolvePointer } from '../contract/contract.ts';
import { createAjv, lazily } from '../contract/validation.ts';
import { deletedMeanwhile } from '../domain/documents/documents.ts';
import { notFound, ServiceError } from '../errors.ts';
import { DocumentStream, errorReply, toServiceError } from './replies.ts';
import type { Context, FlatHeaders, Reply } from './request.ts';

interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

/** Created for the first validated response, and shared by the servers of a process. */
const bodies = lazily(() => createAjv({}));
const texts = lazily(() => createAjv({ coerceTypes: true }));
const compiled = new Map<string, ValidateFunction>();

function compile(ajv: () => Ajv2020, pointer: string): ValidateFunction {
  const validate = compiled.get(pointer) ?? ajv().compile({ $ref: `contract${pointer}` });
  compiled.set(pointer, validate);
  return validate;
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
  return [...(await bodyProblems(reply, pointer, response)), ...headerProblems(headers, response)];
}

async function bodyProblems(
  reply: Reply,
  pointer: string,
  response: ResponseObject,
): Promise<string[]> {
  if (!response.content) return reply.body === undefined ? [] : ['has a body'];
  const validate = compile(bodies, `${pointer}/content/application~1json/schema`);
  return validate(await bodyOf(reply)) ? [] : describe(validate.errors, 'body');
}

function bodyOf({ body }: Reply): unknown {
  if (body instanceof DocumentStream) return json(body.stream());
  return typeof body === 'string' ? JSON.parse(body) : body;
}

function headerProblems(headers: FlatHeaders, response: ResponseObject): string[] {
  return Object.entries(response.headers ?? {}).flatMap(([name, { $ref }]) => {
    const { required } = resolvePointer($ref) as { required?: boolean };
    const at = headers.indexOf(name);
    if (at === -1) return required ? [`${name} is missing`] : [];
    const validate = compile(texts, `${$ref}/schema`);
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
