import { auditServer } from 'graphql-http';
import { expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';

/**
 * Audits that report a notice. Each is a MAY: a server need not support GET. It does not, because URLs would
 * carry variables into the logs of proxies.
 */
const declined = [
  { id: '5A70', what: 'queries by GET' },
  { id: 'D6D5', what: 'variables by GET, for application/graphql-response+json' },
  { id: '6A70', what: 'variables by GET, for application/json' },
];

test('the audits of the GraphQL foundation report nothing but the missing optional GET', async () => {
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
