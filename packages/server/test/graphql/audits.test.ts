import { auditServer } from 'graphql-http';
import { expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';

/**
 * The audits that find something, with the reason why it stays so. Each is a MAY: GET need not be
 * supported, and is not, since an address would carry variables into logs on the way.
 */
const declined = [
  { id: '5A70', what: 'queries by GET' },
  { id: 'D6D5', what: 'variables by GET, for application/graphql-response+json' },
  { id: '6A70', what: 'variables by GET, for application/json' },
];

test('the audits of the GraphQL foundation find nothing but GET, which need not be supported', async () => {
  const server = await startTestServer();
  const results = await auditServer({
    url: `${server.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set('x-api-key', server.account?.apiKey ?? '');
      return fetch(url, { ...init, headers });
    },
  });
  expect(results.length).toBeGreaterThan(60);
  const found = results.flatMap((result) =>
    result.status === 'ok' ? [] : [{ ...result, response: result.response.status }],
  );
  expect(found).toMatchObject(declined.map(({ id }) => ({ id, status: 'notice', response: 405 })));
});
