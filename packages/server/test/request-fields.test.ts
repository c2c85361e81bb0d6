import { beforeEach, describe, expect, test } from 'vitest';
import { contractOperations, type Operation } from '../src/contract/contract.ts';
import { dataFolder, madeOnce, makeAdmin } from './support/data-folder.ts';
import { filled } from './support/front-door.ts';
import {
  bodyProperties,
  brokenBodies,
  brokenQueries,
  exampleBody,
  hasDependentFields,
} from './support/request-fields.ts';
import { type Caller, type Reply, startTestServer } from './support/server.ts';

// Generated from the contract: breaks every rule of every request field once.

let account: Caller;

/** A folder with an administrator, who may call every operation. */
const withAdministrator = madeOnce(async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  const credentials = await first.signUp('ada@example.com');
  await first.close();
  makeAdmin(data, credentials.email);
  return { data, credentials };
});

beforeEach(async () => {
  const { data, credentials } = await withAdministrator();
  const server = await startTestServer({ data, requestsPerMinute: { enterprise: 100_000 } });
  account = await server.signIn(credentials);
});

function send(operation: Operation, body?: unknown, query = ''): Promise<Reply> {
  const { method, path } = operation;
  return account(method.toUpperCase(), `${filled(path)}?${query}`, {
    ...(body !== undefined && { body }),
  });
}

function fieldsIn({ body }: Reply): string[] {
  return body.error.details.violations.map((violation: { field: string }) => violation.field);
}

function expectViolation(reply: Reply, field: string, constraint: string): void {
  const what = `${field} ${constraint}`;
  expect(reply, what).toMatchObject({
    status: 400,
    body: {
      error: {
        code: 'VALIDATION_ERROR',
        details: {
          violations: expect.arrayContaining([expect.objectContaining({ field, constraint })]),
        },
      },
    },
  });
  const { details } = reply.body.error;
  expect(details.field).toBe(details.violations[0].field);
  expect(details.constraint).toBe(details.violations[0].constraint);
}

describe.each(
  contractOperations
    .filter(({ body }) => body === 'required' || body === 'optional')
    .map((operation) => [operation.id, operation] as const),
)('body of %s', (_, operation) => {
  test('every broken rule returns 400 with the field and its constraint', async () => {
    const broken = brokenBodies(operation);
    for (const { field, constraint, body } of broken) {
      const reply = await send(operation, body);
      expectViolation(reply, field, constraint);
      if (hasDependentFields(operation)) continue;
      for (const named of fieldsIn(reply)) expect(`${named}.`).toMatch(`${field}.`);
    }
    const tried = new Set(broken.map(({ field }) => field));
    for (const name of bodyProperties(operation)) expect(tried).toContain(name);
    expect(broken.map(({ constraint }) => constraint)).toContain('additionalProperties');
  });

  test('the example of the contract passes the validation of its schema', async () => {
    const { status, body } = await send(operation, exampleBody(operation));
    // Objects that the example refers to do not exist here, or have expired; the caller is the last administrator.
    if (status === 400)
      expect(['future', 'match', 'unique', 'lastAdministrator', 'version']).toContain(
        body.error.details.constraint,
      );
    else expect([200, 201, 204, 401, 403, 404]).toContain(status);
  });
});

test.each(
  contractOperations
    .filter((operation) => brokenQueries(operation).length > 0)
    .map((operation) => [operation.id, operation] as const),
)(
  'every broken query parameter of %s returns 400 with its name and constraint',
  async (_, operation) => {
    // Required parameters accompany the broken one.
    const required = operation.parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name }) => name);
    for (const { field, constraint, query } of brokenQueries(operation)) {
      const others = required.filter((name) => name !== field).map((name) => `&${name}=text`);
      expectViolation(await send(operation, undefined, query + others.join('')), field, constraint);
    }
  },
);
