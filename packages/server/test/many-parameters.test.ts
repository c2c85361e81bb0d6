import { beforeEach, describe, expect, test } from 'vitest';
import { readParameters } from '../src/generated/rules/parameters.ts';
import { invalid } from './support/replies.ts';
import { startTestServer, type TestServer } from './support/server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startTestServer({ oauth: 'on' });
});

/** Returns a query or a form that repeats a parameter. */
const repeated = (name: string, times: number) => Array(times).fill(`${name}=1`).join('&');

const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };

test('readParameters keeps every value of a repeated name, in order, and names like __proto__', () => {
  const values = readParameters('?a=1&b=%20+x&a=2&__proto__=y&c', 'query');
  expect(Object.entries(values)).toEqual([
    ['a', ['1', '2']],
    ['b', '  x'],
    ['__proto__', 'y'],
    ['c', ''],
  ]);
});

describe('more than 100 parameters', () => {
  test('an operation returns 400 maxParameters', async () => {
    const reply = await server.developer('GET', `/api/v1/vaults?${repeated('page', 101)}`);
    expect(reply).toMatchObject(invalid('query', 'maxParameters'));
    const accepted = await server.developer('GET', `/api/v1/vaults?${repeated('page', 100)}`);
    expect(accepted).toMatchObject(invalid('page', 'type'));
  });

  test('GET /oauth/authorize and /oauth/activate show a page with 400', async () => {
    for (const path of ['/oauth/authorize', '/oauth/activate']) {
      const reply = await fetch(`${server.url}${path}?${repeated('a', 4_000)}`);
      expect(reply.status, path).toBe(400);
      expect(reply.headers.get('content-type'), path).toBe('text/html; charset=utf-8');
      expect(reply.headers.get('set-cookie'), path).toBeNull();
    }
  });

  test('POST /oauth/token returns 400 invalid_request, in the query and in the form', async () => {
    const parameters = repeated('scope', 101);
    for (const [path, body] of [
      ['/oauth/token', parameters],
      [`/oauth/token?${parameters}`, 'grant_type=refresh_token'],
      ['/oauth/revoke', parameters],
      ['/oauth/par', parameters],
    ] as const) {
      const reply = await server.anonymous('POST', path, { ...form, body });
      expect(reply.status, path).toBe(400);
      const place = path.includes('?') ? 'query' : 'body';
      expect(reply.body).toEqual({
        error: 'invalid_request',
        error_description: `The ${place} must have at most 100 parameters.`,
      });
    }
  });
});
