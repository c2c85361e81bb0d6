import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { contractDocument, contractOperations, resolvePointer } from '../src/contract/contract.ts';
import { userScopes } from '../src/domain/access.ts';
import { errorCatalogue } from '../src/generated/rules/errors.ts';
import { checkBody, type SchemaValidator } from '../src/generated/rules/violations.ts';
import { newDocument, newKey, newVault } from './support/resources.ts';
import { type Reply, startTestServer, type TestServer } from './support/server.ts';

// The rules in openapi/rules/ and the texts of openapi/v1.json must not differ.

interface ErrorExample {
  readonly error: { readonly code: string; readonly message: string; readonly details: object };
}

interface ResponseObject {
  readonly $ref?: string;
  readonly content?: {
    readonly 'application/json'?: {
      readonly examples?: Readonly<Record<string, { readonly value?: Partial<ErrorExample> }>>;
    };
  };
}

const description = String(contractDocument.info.description);

/** Returns the cells of the rows of a Markdown table that begin with a pattern. */
function rowsOf(text: string, first: RegExp): string[][] {
  return text
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, cell = '']) => first.test(cell))
    .map((cells) => cells.slice(1, -1));
}

function withoutTicks(text = ''): string {
  return text.replaceAll('`', '');
}

/** The error codes in the examples of the contract, with their statuses. */
function exampleCodes(): Map<string, Set<number>> {
  const shown = new Map<string, Set<number>>();
  for (const { pointer } of contractOperations) {
    const { responses } = resolvePointer(pointer) as { responses: Record<string, ResponseObject> };
    for (const [status, reply] of Object.entries(responses)) {
      const { content } = reply.$ref ? (resolvePointer(reply.$ref) as ResponseObject) : reply;
      for (const { value } of Object.values(content?.['application/json']?.examples ?? {})) {
        const code = value?.error?.code;
        if (code) shown.set(code, (shown.get(code) ?? new Set()).add(Number(status)));
      }
    }
  }
  return shown;
}

describe('the error catalogue', () => {
  const statuses = Object.entries(errorCatalogue).map(([code, { status }]) => `${code} ${status}`);

  test('has exactly the codes of the schema ErrorCode', () => {
    const { enum: codes } = resolvePointer('#/components/schemas/ErrorCode') as { enum: string[] };
    expect(Object.keys(errorCatalogue).sort()).toEqual([...codes].sort());
  });

  test('has exactly the codes and statuses in the description of ErrorCode', () => {
    const schema = resolvePointer('#/components/schemas/ErrorCode') as { description: string };
    const rows = rowsOf(schema.description, /^`[A-Z_]+`$/);
    const described = rows.map(([code, status]) => `${withoutTicks(code)} ${status}`);
    expect(described.sort()).toEqual(statuses.toSorted());
  });

  test('has exactly the codes and statuses in the description of the contract', () => {
    const section = description.slice(description.indexOf('\n## Errors'));
    const described = rowsOf(
      section.slice(0, section.indexOf('No other error')),
      /^\d{3}$/,
    ).flatMap(([status, codes = '']) =>
      codes.split(', ').map((code) => `${withoutTicks(code)} ${status}`),
    );
    expect(described.sort()).toEqual(statuses.toSorted());
  });

  test('has the status of each code in the examples of the contract', () => {
    const expected = Object.entries(errorCatalogue).map(
      ([code, { status }]) => [code, new Set([status])] as const,
    );
    expect(exampleCodes()).toEqual(new Map(expected));
  });

  test('has a distinct one-sentence message for each code', () => {
    const messages = Object.values(errorCatalogue).map(({ message }) => message);
    expect(new Set(messages).size).toBe(messages.length);
    for (const message of messages) expect(message).toMatch(/^[A-Z].+\.$/);
  });
});

/** Sends the request of an example. */
type Send = (server: TestServer) => Promise<Reply>;

/** Examples whose message or details are not the default of their code, each with its request. */
const requests: Readonly<Record<string, Send>> = {
  'BadRequest missing': ({ developer }) => developer('POST', '/api/v1/vaults', { body: {} }),
  'BadRequest unknown': ({ developer }) =>
    developer('POST', '/api/v1/vaults', { body: { name: 'Taxes', colour: 'red' } }),
  'BadRequest outOfRange': ({ developer }) => developer('GET', '/api/v1/vaults?pageSize=101'),
  'InvalidLogin INVALID_TOKEN': ({ anonymous }) =>
    anonymous('POST', '/auth/login', {
      body: { email: 'unknown@example.com', password: 'a wrong password' },
    }),
  'InvalidRefreshToken INVALID_TOKEN': ({ anonymous }) =>
    anonymous('POST', '/auth/refresh', { body: { refreshToken: 'unknown' } }),
  'Forbidden INSUFFICIENT_PERMISSIONS': async ({ signUp, withKey }) => {
    const { call } = await signUp('ada@example.com');
    const { key } = await newKey(call, ['vaults:read']);
    return withKey(key)('POST', '/api/v1/vaults', { body: { name: 'Taxes' } });
  },
  'NotFound NOT_FOUND': ({ developer }) =>
    developer('GET', '/api/v1/vaults/019cadd6-a210-7670-891a-985ccc8c71a2'),
  'TooManyRequests RATE_LIMIT_EXCEEDED': async () => {
    const { anonymous, clock } = await startTestServer({ defaultTier: 'free' });
    clock.advance(18_000);
    for (let sent = 0; sent < 10; sent += 1) await anonymous('GET', '/api/v1/vaults');
    return anonymous('GET', '/api/v1/vaults');
  },
  'RangeNotSatisfiable RANGE_NOT_SATISFIABLE': async ({ developer }) => {
    const vault = await newVault(developer);
    const { contentUrl } = await newDocument(developer, vault.id, 'x'.repeat(48));
    return developer('GET', contentUrl, { headers: { range: 'bytes=100-' } });
  },
  'Unauthorized SESSION_ENDED': async ({ signUp }) => {
    const { call } = await signUp('ada@example.com');
    const { body } = await call('GET', '/api/v1/auth/sessions');
    await call('DELETE', `/api/v1/auth/sessions/${body.data[0].id}`);
    return call('GET', '/api/v1/vaults');
  },
  'RegistrationForbidden INSUFFICIENT_PERMISSIONS': async () => {
    const { anonymous } = await startTestServer({ registration: 'closed' });
    const body = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' };
    return anonymous('POST', '/auth/register', { body });
  },
};

/** The error examples of the contract's shared responses, by the names of response and example. */
function errorExamples(): Map<string, ErrorExample['error']> {
  const responses = resolvePointer('#/components/responses') as Record<string, ResponseObject>;
  const found = Object.entries(responses).flatMap(([response, { content }]) =>
    Object.entries(content?.['application/json']?.examples ?? {}).flatMap(([name, { value }]) =>
      value?.error ? [[`${response} ${name}`, value.error] as const] : [],
    ),
  );
  return new Map(found);
}

describe('error examples of the contract', () => {
  const examples = errorExamples();
  const isDefault = ({ code, message, details }: ErrorExample['error']) =>
    Object.keys(details).length === 0 &&
    message === errorCatalogue[code as keyof typeof errorCatalogue].message;

  test('have the message of the catalogue, or a request in this test that returns them', () => {
    const others = [...examples].filter(([, example]) => !isDefault(example));
    expect(others.map(([name]) => name).sort()).toEqual(Object.keys(requests).sort());
  });

  test.each(Object.entries(requests))('%s is what the server returns', async (name, send) => {
    const { error } = (await send(await startTestServer())).body;
    const { code, message, details } = error;
    expect(examples.get(name)).toMatchObject({ code, message, details });
  });
});

test('the scopes are exactly those of the schema Scope and of the description of the contract', () => {
  const scopes = [...userScopes, 'admin:*'];
  const { enum: inSchema } = resolvePointer('#/components/schemas/Scope') as { enum: string[] };
  expect(inSchema).toEqual(scopes);
  const described = rowsOf(description, /^`[a-z]+:[a-z*]+`$/).map(([scope]) => withoutTicks(scope));
  expect(described).toEqual(scopes);
});

test('every keyword in the compiled validators has a message of its own', async () => {
  const sources = await Promise.all(
    ['bodies', 'parameters'].map((name) =>
      readFile(new URL(`../src/generated/validators/${name}.js`, import.meta.url), 'utf8'),
    ),
  );
  const found = sources.flatMap((source) => [...source.matchAll(/ keyword: "([^"]+)"/g)]);
  const keywords = new Set(found.map(([, keyword = '']) => keyword));
  // The rule that a property's name or a branch violates is an error of its own.
  for (const keyword of ['propertyNames', 'if']) keywords.delete(keyword);
  expect(keywords.size).toBeGreaterThan(10);
  for (const keyword of keywords) {
    const errors = [{ keyword, instancePath: '/name', params: { allowedValues: [] } }];
    const validate: SchemaValidator = Object.assign(() => false, { errors });
    expect(() => checkBody(validate, {}), keyword).toThrow(
      /^name (must|is required|is not a known)/,
    );
  }
});
