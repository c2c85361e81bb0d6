import { describe, expect, test, vi } from 'vitest';
import { contractOperations } from '../src/contract/contract.ts';
import { Connection } from '../src/store/sqlite/connection.ts';
import { connectTo } from './support/connection.ts';
import { expectEveryHeader } from './support/front-door.ts';
import { createResources, pathWithIds } from './support/owned-resources.ts';
import { newDocument, newShare, newVault } from './support/resources.ts';
import { type Reply, startTestServer } from './support/server.ts';

/** Headers that differ between two requests. */
const ofRequest = /^(date|x-request-id|x-rate.?limit-.*remaining|ratelimit|connection|keep-alive)$/;

function comparable({ headers }: Reply): [string, string][] {
  return [...headers].filter(([name]) => !ofRequest.test(name));
}

describe('HEAD', () => {
  test('of every operation that has GET returns its status and headers, and no body', async () => {
    const server = await startTestServer();
    const { call } = await server.signUp('ada@example.com');
    const resources = await createResources(server, call);
    const { body: instances } = await call('GET', '/api/v1/instances');
    const reads = contractOperations.filter(({ method }) => method === 'get');
    for (const operation of reads) {
      for (const template of [operation.path, ...operation.aliases]) {
        const own = template === operation.path && pathWithIds(resources, operation);
        const path = (own || template)
          .replace('{token}', resources.shareToken)
          .replace('{id}', instances.data[0].id)
          .concat(operation.id === 'searchVaults' ? '?search=owner' : '');
        const got = await call('GET', path);
        const head = await call('HEAD', path);
        expect(head.status, path).toBe(got.status);
        expect(head.body?.length ?? 0, path).toBe(0);
        if (operation.id === 'getInstanceHealth') continue; // its body has durations
        expect(comparable(head), path).toEqual(comparable(got));
        expectEveryHeader(head);
      }
    }
    expect(reads.length).toBeGreaterThan(25);
  });

  test('of an open share returns 200, counts no access and emits no event', async () => {
    const { developer, anonymous } = await startTestServer();
    const vault = await newVault(developer);
    const { id } = await newDocument(developer, vault.id);
    const terms = { access: 'anyone', maxAccessCount: 1 };
    const { shareToken } = await newShare(developer, id, terms);
    for (const path of [`/shares/${shareToken}`, `/api/v1/documents/share/${shareToken}`]) {
      for (const query of ['', '?content=false']) {
        expect((await anonymous('HEAD', path + query)).status).toBe(200);
      }
    }
    const { body: shares } = await developer('GET', `/api/v1/documents/${id}/shares`);
    expect(shares.data).toMatchObject([{ accessCount: 0, isActive: true }]);
    const { body: events } = await developer('GET', '/api/v1/events?type=document.share.accessed');
    expect(events.data).toEqual([]);
    expect((await anonymous('GET', `/shares/${shareToken}`)).status).toBe(200);
    expect((await anonymous('HEAD', `/shares/${shareToken}`)).status).toBe(404);
    expect((await anonymous('HEAD', '/shares/unknown')).status).toBe(404);
  });

  test('of an authenticated share returns 401 without credentials and 200 with them', async () => {
    const { developer, anonymous } = await startTestServer();
    const vault = await newVault(developer);
    const { id } = await newDocument(developer, vault.id);
    const { shareToken } = await newShare(developer, id);
    expect((await anonymous('HEAD', `/shares/${shareToken}`)).status).toBe(401);
    expect((await developer('HEAD', `/shares/${shareToken}`)).status).toBe(200);
  });

  test('of a content ignores Range, knows If-None-Match, and reads nothing from the store', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const content = Buffer.alloc(300_000, 'a');
    const { contentUrl } = await newDocument(developer, vault.id, content);
    const { headers } = await developer('GET', contentUrl);
    const read = vi.spyOn(Connection.prototype, 'get');
    const whole = await developer('HEAD', contentUrl, { headers: { range: 'bytes=0-9' } });
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-length')).toBe('300000');
    expect(whole.headers.get('content-range')).toBeNull();
    expect(whole.headers.get('etag')).toBe(headers.get('etag'));
    const beyond = await developer('HEAD', contentUrl, { headers: { range: 'bytes=999999-' } });
    expect(beyond.status).toBe(200);
    const known = { 'if-none-match': headers.get('etag') ?? '' };
    expect((await developer('HEAD', contentUrl, { headers: known })).status).toBe(304);
    const statements = read.mock.calls.map(([sql]) => sql).join();
    read.mockRestore();
    expect(statements).toContain('FROM documents');
    expect(statements).not.toContain('SELECT data FROM document_contents');
  });

  test('sends no byte of a body, so that the next response follows at once', async () => {
    const { developer, url, account } = await startTestServer();
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id, Buffer.alloc(200_000));
    const connection = await connectTo(url);
    const request = (path: string) =>
      `HEAD ${path} HTTP/1.1\r\nHost: vault.example\r\nX-Api-Key: ${account?.apiKey}\r\n\r\n`;
    const paths = [document.contentUrl, `/api/v1/documents/${document.id}`, '/api/v1/vaults'];
    for (const path of [...paths, '/docs', '/health/live']) await connection.send(request(path));
    const received = await connection.until({
      test: (text) => text.split('HTTP/1.1 200 OK').length === 6 && text.endsWith('\r\n\r\n'),
    });
    expect(received.replaceAll(/HTTP\/1\.1 200 OK\r\n(?:[\w-]+: [^\r\n]*\r\n)+\r\n/g, '')).toBe('');
  });
});

describe('a method that a path does not have', () => {
  test.each([
    ['PATCH', '/api/v1/vaults', 'GET, HEAD, POST'],
    ['POST', '/api/v1/vaults/1', 'GET, HEAD, PUT, DELETE'],
    ['DELETE', '/webhooks', 'GET, HEAD, POST'],
    ['HEAD', '/auth/login', 'POST'],
    ['GET', '/api/v1/uploads', 'POST'],
    ['OPTIONS', '/api/v1/vaults/search', 'GET, HEAD, PUT, DELETE'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['PUT', '/docs', 'GET, HEAD'],
  ])('%s %s returns 404 with Allow: %s', async (method, path, allow) => {
    const { anonymous } = await startTestServer();
    const reply = await anonymous(method, path);
    expect(reply.status).toBe(404);
    expect(reply.headers.get('allow')).toBe(allow);
  });

  test('an unknown path returns 404 without Allow, and so does a GET of a page for browsers', async () => {
    const { anonymous } = await startTestServer();
    for (const path of ['/nothing', '/api/v1/nothing', '/', '/oauth/token']) {
      const reply = await anonymous('GET', path);
      expect(reply.status, path).toBe(404);
      expect(reply.headers.has('allow'), path).toBe(false);
    }
  });
});

describe('a target in absolute form', () => {
  test.each([
    ['http://vault.example/api/v1/users/me?', 401],
    ['HTTP://vault.example:80/.well-known/jwks.json', 200],
    ['https://vault.example/health/live', 200],
    ['http://vault.example', 404],
    ['http://vault.example?a=1', 404],
    ['http://vault.example//health/live', 404],
    ['ftp://vault.example/health/live', 404],
  ])('GET %s returns %i', async (target, status) => {
    const { url } = await startTestServer();
    const connection = await connectTo(url);
    await connection.send(
      `GET ${target} HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n`,
    );
    expect(await connection.end()).toContain(`HTTP/1.1 ${status} `);
  });
});
