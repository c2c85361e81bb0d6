import { expect, test } from 'vitest';
import { ask, refusedWith } from '../support/graphql/asking.ts';
import { startTestServer } from '../support/server.ts';

const query = '{ me { id } }';

test('missing and invalid credentials return 401 as a GraphQL error with the code of REST', async () => {
  const server = await startTestServer();
  const ada = await server.signUp('ada@example.com');
  const callers = [
    [server.anonymous, 401, 'MISSING_AUTH'],
    [server.withKey(`service_sk_${'a'.repeat(40)}`), 401, 'INVALID_API_KEY'],
    [server.withToken('rubbish'), 401, 'INVALID_TOKEN'],
  ] as const;
  for (const [call, status, code] of callers) {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const refused = await ask(call, query, { headers: { accept } });
      expect(refused).toMatchObject(refusedWith(status, code));
      expect(refused.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
      expect(refused.body).not.toHaveProperty('data');
    }
  }
  server.clock.advance(60 * 60 * 1000);
  expect(await ask(ada.call, query)).toMatchObject(refusedWith(401, 'EXPIRED_TOKEN'));
});
