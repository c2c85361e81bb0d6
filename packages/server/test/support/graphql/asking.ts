import { expect } from 'vitest';
import type { ErrorCode } from '../../../src/generated/rules/errors.ts';
import type { Caller, Reply } from '../server.ts';

export interface AskOptions {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The media type with which the status reflects request errors. */
export const graphqlJson = 'application/graphql-response+json';

/** Sends a GraphQL request and checks the format of the response. */
export async function ask(call: Caller, query: string, options: AskOptions = {}): Promise<Reply> {
  const { headers, ...parameters } = options;
  const reply = await call('POST', '/graphql', {
    body: { query, ...parameters },
    headers: { accept: graphqlJson, ...headers },
  });
  expectWellFormed(reply);
  return reply;
}

/** Sends a GraphQL request, requires that it has no errors, and returns the data. */
export async function dataOf(call: Caller, query: string, options?: AskOptions) {
  const { status, body } = await ask(call, query, options);
  expect(body.errors).toBeUndefined();
  expect(status).toBe(200);
  return body.data;
}

/**
 * Requires the response format of GraphQL and the extensions that the service adds to errors.
 *
 * @see https://spec.graphql.org/October2021/#sec-Response-Format
 */
export function expectWellFormed({ body, headers }: Reply): void {
  expect(['errors', 'data', 'extensions']).toEqual(expect.arrayContaining(Object.keys(body)));
  expect('data' in body || body.errors?.length > 0).toBe(true);
  for (const { message, extensions } of body.errors ?? []) {
    expect(message).toMatch(/\w/);
    expect(extensions).toMatchObject({
      code: expect.stringMatching(/^[A-Z_]+$/),
      details: expect.any(Object),
      requestId: headers.get('x-request-id'),
      timestamp: expect.stringMatching(/Z$/),
    });
  }
}

/** A response with a status and an error of this code, for `expect(reply).toMatchObject(…)`. */
export function refusedWith(status: number, code: ErrorCode, details: object = {}) {
  const extensions = expect.objectContaining({ code, details: expect.objectContaining(details) });
  return {
    status,
    body: { errors: expect.arrayContaining([expect.objectContaining({ extensions })]) },
  };
}

/** VALIDATION_ERROR whose first violation is this one. */
export const invalid = (field: string, constraint: string) =>
  refusedWith(400, 'VALIDATION_ERROR', { field, constraint });
