import { json } from 'node:stream/consumers';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import { type Operation, resolvePointer } from '../../contract/contract.ts';
import { createAjv, lazily } from '../../contract/validation.ts';
import { ServiceError } from '../../errors.ts';
import type { Context, Step } from '../state.ts';
import { renderError } from './errors.ts';

interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

/** Made when the first answer is held against the contract, for all servers of the process. */
const bodies = lazily(() => createAjv({}));
const texts = lazily(() => createAjv({ coerceTypes: true }));
const compiled = new Map<string, ValidateFunction>();

function compile(ajv: () => Ajv2020, pointer: string): ValidateFunction {
  const validate = compiled.get(pointer) ?? ajv().compile({ $ref: `contract${pointer}` });
  compiled.set(pointer, validate);
  return validate;
}

/**
 * Holds every answer against the contract: its status, its headers, its body. An answer that the
 * contract does not know is logged and replaced by INTERNAL_ERROR.
 */
export function validateResponses(clock: Clock, log: Logger): Step {
  async function bodyProblems(
    ctx: Context,
    pointer: string,
    response: ResponseObject,
  ): Promise<string[]> {
    if (!response.content) {
      return ctx.body === undefined || ctx.body === null ? [] : ['has a body'];
    }
    const validate = compile(bodies, `${pointer}/content/application~1json/schema`);
    return validate(await answeredBody(ctx)) ? [] : describe(validate.errors, 'body');
  }

  function headerProblems(ctx: Context, response: ResponseObject): string[] {
    return Object.entries(response.headers ?? {}).flatMap(([name, { $ref }]) => {
      const { required } = resolvePointer($ref) as { required?: boolean };
      const value = ctx.response.get(name);
      if (!value) return required ? [`${name} is missing`] : [];
      const validate = compile(texts, `${$ref}/schema`);
      return validate(value) ? [] : describe(validate.errors, name);
    });
  }

  return async (ctx, next) => {
    await next();
    // GraphQL has a schema of its own, and its executor answers nothing else.
    if (ctx.state.graphql) return;
    const pointer = responsePointer(ctx.state.operation, ctx.status);
    const response = pointer && (resolvePointer(pointer) as ResponseObject | undefined);
    const problems = response
      ? [...(await bodyProblems(ctx, pointer, response)), ...headerProblems(ctx, response)]
      : [`status ${ctx.status} is not in the contract`];
    if (problems.length === 0) return;
    log.error(
      { operation: ctx.state.operation?.id, status: ctx.status, problems },
      'response breaks the contract',
    );
    renderError(ctx, new ServiceError('INTERNAL_ERROR'), clock);
  };
}

function answeredBody({ state, body }: Context): unknown {
  if (state.inPieces) return json(state.inPieces.stream());
  return typeof body === 'string' ? JSON.parse(body) : body;
}

/** What is answered before a request has become an operation; 204 is a browser's preflight. */
const withoutOperation: Readonly<Record<number, string>> = {
  204: '#/components/responses/NoContent',
  403: '#/components/responses/Blocked',
  404: '#/components/responses/NotFound',
  429: '#/components/responses/TooManyRequests',
  500: '#/components/responses/InternalError',
};

/** Where the contract describes this answer. */
function responsePointer(operation: Operation | undefined, status: number): string | undefined {
  if (!operation) return withoutOperation[status];
  const pointer = `${operation.pointer}/responses/${status}`;
  const response = resolvePointer(pointer) as ResponseObject | undefined;
  return response?.$ref ?? (response && pointer);
}

function describe(errors: ErrorObject[] | null | undefined, place: string): string[] {
  return (errors ?? []).map((error) => `${place}${error.instancePath} ${error.message}`);
}
