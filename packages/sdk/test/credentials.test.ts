import { ConnectionError, DocumentVault, UsageError } from '@document-vault/sdk';
import { createHttpClient } from '@document-vault/sdk/http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { apiKey, baseUrl, keyClient, rejection, sessionClient } from './support/client.ts';
import { scriptedFetch } from './support/fetch.ts';
import { json, vaultBody } from './support/responses.ts';
import { type Handler, sendJson, startServer } from './support/server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const close of closers.splice(0)) await close();
});

async function start(handler: Handler) {
  const server = await startServer(handler);
  closers.push(server.close);
  return server;
}

describe('guarantee 7, credentials: never to another origin', () => {
  test.each([301, 302, 303, 307, 308])(
    'a %i redirect to another origin rejects and is not followed',
    async (status) => {
      const thief = await start((_, response) => sendJson(response, vaultBody));
      const server = await start((_, response) => {
        response.writeHead(status, { location: `${thief.url}/api/v1/vaults/1` }).end();
      });
      const error = await rejection(keyClient({ baseUrl: server.url }).vaults.get('1'));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ attempts: 1 });
      expect(String(error)).toContain(`(${status}) to ${thief.url}/api/v1/vaults/1`);
      expect(server.arrivals).toHaveLength(1);
      expect(thief.arrivals).toHaveLength(0);
    },
  );

  test.each([301, 302, 303, 307, 308])(
    'a %i redirect to another origin that redirects back receives no body',
    async (status) => {
      const thief = await start((_, response) => {
        response.writeHead(307, { location: `${server.url}/api/v1/vaults` }).end();
      });
      const server = await start((_, response) => {
        response.writeHead(status, { location: `${thief.url}/api/v1/vaults` }).end();
      });
      const client = keyClient({ baseUrl: server.url });
      const error = await rejection(client.vaults.create({ name: 'Taxes' }));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ attempts: 1 });
      expect(thief.arrivals).toHaveLength(0);
    },
  );

  test.each([
    '//127.0.0.1:9/',
    'http://localhost:9/',
    'file:///etc/passwd',
    'data:,{}',
    '\\\\evil',
  ])('a redirect to %s rejects', async (location) => {
    const server = await start((_, response) => {
      response.writeHead(307, { location }).end();
    });
    const error = await rejection(keyClient({ baseUrl: server.url }).vaults.get('1'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(server.arrivals).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect by %i within the origin rejects',
    async (status) => {
      const server = await start((_, response) => {
        response.writeHead(status, { location: '/moved' }).end();
      });
      const error = await rejection(keyClient({ baseUrl: server.url }).vaults.get('1'));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ attempts: 1 });
      expect(String(error)).toContain(`refused a redirect (${status}) to ${server.url}/`);
      expect(server.arrivals).toHaveLength(1);
    },
  );

  test('client.fetch returns a 304 to a request with If-None-Match', async () => {
    const server = await start((_, response) => {
      response.writeHead(304).end();
    });
    const client = keyClient({ baseUrl: server.url });
    const headers = { 'if-none-match': '"1"' };
    const { status, body } = await client.fetch('/openapi/v1.json', { headers });
    expect({ status, body }).toEqual({ status: 304, body: null });
  });

  test('an opaque redirect response of a browser rejects', async () => {
    // Status 0, as a browser's has.
    const opaque = () =>
      Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' });
    const { fetch, sent } = scriptedFetch(opaque);
    const error = await rejection(keyClient({ fetch }).vaults.get('1'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toContain('GET /api/v1/vaults/{id}: refused a redirect: set baseUrl');
    expect(sent).toHaveLength(1);
  });

  test('a call with another baseUrl rejects with a UsageError and sends no request', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const http = createHttpClient(keyClient({ fetch }));
    const call = http.GET('/api/v1/users/me', { baseUrl: `${baseUrl}.evil.example` });
    await expect(call).rejects.toBeInstanceOf(UsageError);
    expect(sent).toHaveLength(0);
  });
});

describe('guarantee 7, options of the client', () => {
  test.each([
    ['http to a host of the network', 'http://vault.example.com', 'allowInsecureHttp'],
    ['a name that only begins like loopback', 'http://127.0.0.1.example.com', 'allowInsecureHttp'],
    ['a name that only ends like loopback', 'http://evil-localhost', 'allowInsecureHttp'],
    ['a subdomain named like loopback', 'http://localhost.evil.com', 'allowInsecureHttp'],
    ['every address of this machine', 'http://0.0.0.0', 'allowInsecureHttp'],
    ['the same of IPv6', 'http://[::]', 'allowInsecureHttp'],
    ['loopback written as IPv6', 'http://[::ffff:127.0.0.1]', 'allowInsecureHttp'],
    ['a private address', 'http://192.168.0.1', 'allowInsecureHttp'],
    ['loopback as a user name', 'http://127.0.0.1@evil.com', 'credentials'],
    ['a script', 'javascript:alert(1)', 'http'],
    ['no URL', 'vault.example.com', 'absolute'],
    ['another protocol', 'ftp://vault.example.com', 'http'],
    ['credentials', 'https://user:pass@vault.example.com', 'credentials'],
    ['a query', 'https://vault.example.com/?a=b', 'query'],
  ])('refuses as baseUrl %s', (_, url, message) => {
    const create = () => new DocumentVault({ baseUrl: url, session: {} });
    expect(create).toThrow(UsageError);
    expect(create).toThrow(message);
  });

  test.each([
    'http://localhost:3000',
    'http://LOCALHOST',
    'http://vault.localhost',
    'http://localhost.:3000',
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f.1',
    'http://2130706433',
    'http://127.8.9.1',
    'http://[::1]:3000',
  ])('takes http to this machine: %s', (url) => {
    expect(() => new DocumentVault({ baseUrl: url, session: {} })).not.toThrow();
  });

  test('a remote base URL with http: is accepted with allowInsecureHttp', () => {
    const options = { baseUrl: 'http://vault.internal', session: {}, allowInsecureHttp: true };
    expect(() => new DocumentVault(options)).not.toThrow();
  });

  test('a base URL keeps its path prefix, and its final slash is removed', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    await keyClient({ fetch, baseUrl: `${baseUrl}/vault//` }).vaults.get('1');
    expect(sent[0]?.url).toBe(`${baseUrl}/vault/api/v1/vaults/1`);
  });

  test('an empty query or fragment of the base URL is removed', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    await keyClient({ fetch, baseUrl: `${baseUrl}/vault/?#` }).vaults.get('1');
    expect(sent[0]?.url).toBe(`${baseUrl}/vault/api/v1/vaults/1`);
  });

  test('a client without options throws a UsageError', () => {
    expect(() => new DocumentVault(undefined as never)).toThrow(UsageError);
  });

  test('an API key in a browser throws a UsageError unless dangerouslyAllowBrowser is set', () => {
    vi.stubGlobal('document', {});
    expect(() => keyClient()).toThrow(UsageError);
    expect(() => keyClient({ dangerouslyAllowBrowser: true })).not.toThrow();
    expect(() => sessionClient()).not.toThrow();
  });

  test('an API key in a worker throws a UsageError in browsers but not in Deno', () => {
    vi.stubGlobal('WorkerNavigator', class {});
    expect(() => keyClient()).toThrow(UsageError);
    vi.stubGlobal('Deno', {});
    expect(() => keyClient()).not.toThrow();
  });

  test('an API key together with a session throws a UsageError', () => {
    expect(() => keyClient({ session: {} })).toThrow(UsageError);
  });

  test.each(['', ' ', `${apiKey}\n`, `“${apiKey}”`])(
    'an API key with characters that headers reject throws an error that does not quote it: %j',
    (key) => {
      const create = () => keyClient({ apiKey: key });
      expect(create).toThrow(UsageError);
      expect(create).toThrow('apiKey must be non-empty printable ASCII without spaces');
      expect(create).not.toThrow(apiKey);
    },
  );

  test('requests have a User-Agent of the client outside browsers', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    await keyClient({ fetch }).vaults.get('1');
    expect(sent[0]?.headers['user-agent']).toMatch(/^document-vault-sdk\//);
    vi.stubGlobal('document', {});
    await sessionClient({ fetch }).vaults.get('1');
    expect(sent[1]?.headers).not.toHaveProperty('user-agent');
  });

  test('requests have no X-Request-Id', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    await keyClient({ fetch }).vaults.get('1');
    expect(sent[0]?.headers).not.toHaveProperty('x-request-id');
  });
});
