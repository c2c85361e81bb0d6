import { pino } from 'pino';
import { expect, test } from 'vitest';
import { contractOperations } from '../src/contract/contract.ts';
import { type DocumentWithContent, deletedMeanwhile } from '../src/domain/documents/documents.ts';
import { DocumentStream } from '../src/http/replies.ts';
import { type Context, RequestState, type Route } from '../src/http/request.ts';
import { createResponseValidation } from '../src/http/response-validation.ts';
import { TestClock } from '../src/lib/clock.ts';

const requestId = 'req_0123456789abcdef0123456789abcdef';

const headers: Readonly<Record<string, string>> = {
  'X-Request-Id': requestId,
  'X-RateLimit-Limit': '1000',
  'X-RateLimit-Remaining': '999',
  'X-RateLimit-Reset': '1767229200',
  'X-RateLimit-Tier': 'free',
  'X-Rate-Limit-Limit': '1000',
  'X-Rate-Limit-Remaining': '999',
  'X-Rate-Limit-Reset': '2026-01-01T01:00:00.000Z',
  'X-RateLimit-Minute-Limit': '10',
  'X-RateLimit-Minute-Remaining': '9',
  'X-RateLimit-Minute-Reset': '1767225660',
  RateLimit: '"hour";r=999;t=3600, "minute";r=9;t=60',
  'RateLimit-Policy': '"hour";q=1000;w=3600, "minute";q=10;w=60',
};

const vault = {
  id: '019cadd6-a210-7670-891a-985ccc8c71a2',
  name: 'Taxes',
  description: null,
  category: null,
  userId: '019cadd4-5698-781e-b05b-ef3e60cf1f3b',
  instanceId: '019b8d2b-8c00-7db1-baa7-76cb5c5c64ab',
  isActive: true,
  documentCount: 0,
  totalSize: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

/** A document whose later pieces cannot be read. */
function brokenDocument(reason: Error): DocumentStream {
  const pieces = (async function* () {
    yield Buffer.from('abc');
    throw reason;
  })();
  const document = { id: vault.id, sizeBytes: 6 } as DocumentWithContent['document'];
  return new DocumentStream(document, pieces);
}

const error = (code: string) => ({
  error: { code, message: 'No.', details: {}, requestId, timestamp: vault.createdAt },
});

interface Reply {
  /** The operation that responds; undefined when no path matched. */
  readonly operation?: string;
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Validates a response; returns it as a client receives it, with the logged problems. */
async function validated({ operation: id, status, body, headers: given = headers }: Reply) {
  const lines: { msg: string; problems: string[] }[] = [];
  const log = pino({ level: 'error' }, { write: (line) => lines.push(JSON.parse(line)) });
  const anonymous = { userId: null, requestId, ipAddress: '127.0.0.1', userAgent: null };
  const state = new RequestState(anonymous, undefined);
  const operation = contractOperations.find((candidate) => candidate.id === id);
  if (operation) state.route = { operation } as Route;
  const validate = createResponseValidation(new TestClock(), log);
  const reply = await validate(
    { state } as Context,
    { status, body },
    Object.entries(given).flat(),
  );
  return {
    status: reply.status,
    text: reply.body === undefined ? '' : JSON.stringify(reply.body),
    lines,
    problems: lines.flatMap(({ problems }) => problems),
  };
}

function without(name: string) {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

const validReplies: Record<string, Reply> = {
  'a resource': { operation: 'getVault', status: 200, body: vault },
  'an additional property': {
    operation: 'getVault',
    status: 200,
    body: { ...vault, colour: 'blue' },
  },
  'an error of the operation': {
    operation: 'getVault',
    status: 404,
    body: error('NOT_FOUND'),
  },
  'no body': { operation: 'deleteVault', status: 204 },
  'an unknown path': { status: 404, body: error('NOT_FOUND') },
  'a blocked address': { status: 403, body: error('IP_BLOCKED') },
  'a preflight': { status: 204 },
};

test.each(Object.entries(validReplies))(
  'response validation passes %s unchanged',
  async (_name, reply) => {
    const { status, text, problems } = await validated(reply);
    expect(problems).toEqual([]);
    expect({ status, text }).toEqual({
      status: reply.status,
      text: reply.body === undefined ? '' : JSON.stringify(reply.body),
    });
  },
);

const invalidReplies: Record<string, Reply & { readonly problem: string }> = {
  'a property of the wrong type': {
    operation: 'getVault',
    status: 200,
    body: { ...vault, totalSize: '0' },
    problem: 'body/totalSize must be integer',
  },
  'a missing property': {
    operation: 'getVault',
    status: 200,
    body: { ...vault, category: undefined },
    problem: "body must have required property 'category'",
  },
  'an unknown error code': {
    operation: 'getVault',
    status: 404,
    body: error('GONE'),
    problem: 'body/error/code must be equal to one of the allowed values',
  },
  'a missing body': {
    operation: 'getVault',
    status: 200,
    problem: 'body must be object',
  },
  'a body with 204': {
    operation: 'deleteVault',
    status: 204,
    body: vault,
    problem: 'has a body',
  },
  'a status that the contract does not list for the operation': {
    operation: 'listVaults',
    status: 404,
    body: error('NOT_FOUND'),
    problem: 'status 404 is not in the contract',
  },
  'a status that the contract never lists': {
    operation: 'getVault',
    status: 418,
    body: error('NOT_FOUND'),
    problem: 'status 418 is not in the contract',
  },
  'success without an operation': {
    status: 200,
    body: error('NOT_FOUND'),
    problem: 'status 200 is not in the contract',
  },
  'a missing header': {
    operation: 'getVault',
    status: 200,
    body: vault,
    headers: without('X-Rate-Limit-Reset'),
    problem: 'X-Rate-Limit-Reset is missing',
  },
  'a missing header on a response without body': {
    operation: 'deleteVault',
    status: 204,
    headers: without('X-Request-Id'),
    problem: 'X-Request-Id is missing',
  },
  'a header of the wrong form': {
    operation: 'getVault',
    status: 200,
    body: vault,
    headers: { ...headers, 'X-RateLimit-Remaining': 'many' },
    problem: 'X-RateLimit-Remaining must be integer',
  },
  'an unknown tier': {
    operation: 'getVault',
    status: 200,
    body: vault,
    headers: { ...headers, 'X-RateLimit-Tier': 'gold' },
    problem: 'X-RateLimit-Tier must be equal to one of the allowed values',
  },
  '429 without Retry-After': {
    operation: 'getVault',
    status: 429,
    body: error('RATE_LIMIT_EXCEEDED'),
    problem: 'Retry-After is missing',
  },
};

test.each(Object.entries(invalidReplies))(
  'response validation replaces %s by INTERNAL_ERROR',
  async (_name, reply) => {
    const { status, text, problems } = await validated(reply);
    expect(problems).toEqual([reply.problem]);
    expect(status).toBe(500);
    expect(JSON.parse(text).error).toMatchObject({ code: 'INTERNAL_ERROR', requestId });
    expect(text).not.toContain(vault.id);
  },
);

test('response validation returns NOT_FOUND for a document that is deleted while it is read', async () => {
  const body = brokenDocument(Object.assign(new Error('deleted'), { code: deletedMeanwhile }));
  const { status, text, lines } = await validated({ operation: 'getDocument', status: 200, body });
  expect(status).toBe(404);
  expect(JSON.parse(text).error).toMatchObject({ code: 'NOT_FOUND', requestId });
  expect(lines).toEqual([]);
});

test('response validation returns INTERNAL_ERROR for a body that cannot be read, and logs the reason', async () => {
  const body = brokenDocument(new Error('the disk failed'));
  const { status, text, lines } = await validated({ operation: 'getDocument', status: 200, body });
  expect(status).toBe(500);
  expect(JSON.parse(text).error).toMatchObject({ code: 'INTERNAL_ERROR', requestId });
  expect(text).not.toContain('disk');
  expect(lines).toMatchObject([{ msg: 'request failed', err: { message: 'the disk failed' } }]);
});
