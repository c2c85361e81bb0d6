import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { contractDocument, contractOperations } from '../src/contract/contract.ts';
import { createRequestValidator } from '../src/contract/validation.ts';
import type { Services } from '../src/domain/services.ts';
import { ServiceError } from '../src/generated/rules/errors.ts';
import type { Handlers } from '../src/http/handlers.ts';
import { createHandlers } from '../src/http/operations.ts';
import { createRouter } from '../src/http/router.ts';
import { comparable, expectEveryHeader, filled, refusal } from './support/front-door.ts';
import { newDocument, newShare, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

const webhook = {
  url: 'http://127.0.0.1:9/hook',
  events: ['vault.deleted'],
  secret: 'a secret of these tests, long enough',
};

describe('router', () => {
  // The router reads only the names of the handlers; no service is called.
  const handlers = createHandlers({} as Services, () => '');
  const mount = (candidate: object) => createRouter(candidate as Handlers, {});

  test('every operation of the contract has a handler and every handler an operation', () => {
    expect(() => mount(handlers)).not.toThrow();
    expect(Object.keys(handlers).sort()).toEqual(contractOperations.map(({ id }) => id).sort());
  });

  test('createRouter() throws for operations without a handler', () => {
    const { getVault, deleteVault, ...others } = handlers;
    expect(() => mount(others)).toThrow(
      'operation getVault has no handler; operation deleteVault has no handler',
    );
  });

  test('createRouter() throws for a handler without an operation', () => {
    expect(() => mount({ ...handlers, paintVault: getNothing })).toThrow(
      'handler paintVault has no operation',
    );
  });

  test.each(contractOperations)('the request validators of $id compile', (operation) => {
    const { query, headers, body } = createRequestValidator(operation);
    const parts = [() => query({}), () => headers({}), () => body(undefined)];
    for (const validate of operation.body === 'none' ? parts.slice(0, 2) : parts) {
      try {
        validate();
      } catch (error) {
        // A ServiceError rejects the input; a validator that cannot be compiled throws another error.
        expect(error).toBeInstanceOf(ServiceError);
      }
    }
  });

  function getNothing() {}
});

describe('paths of requests', () => {
  test('every operation of the contract has a route', async () => {
    const { anonymous } = await startTestServer();
    const unknown: string[] = [];
    for (const { id, method, path } of contractOperations) {
      const reply = await anonymous(method.toUpperCase(), filled(path));
      expectEveryHeader(reply);
      if (reply.body?.error?.message.startsWith('There is no operation at')) unknown.push(id);
    }
    expect(unknown).toEqual([]);
  });

  test('unknown paths and methods return 404 NOT_FOUND that names both', async () => {
    const { developer } = await startTestServer();
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/api/v1'],
      ['GET', '/api/v1/nothing'],
      ['GET', '/api/v2/vaults'],
      ['GET', '/vaults'],
      ['GET', '/graphiql'],
      ['POST', '/oauth/token'],
      ['GET', '/oauth/authorize'],
      ['POST', '/oauth/revoke'],
      ['GET', '/oauth/userinfo'],
      ['PATCH', '/api/v1/vaults'],
      ['DELETE', '/api/v1/vaults'],
      ['PUT', '/auth/login'],
      ['GET', '/auth/login'],
      ['GET', '/api/v1/documents/unknown/share'],
      ['OPTIONS', '/api/v1/vaults'],
      ['GET', '/api/v1/vaults/'],
      ['GET', '/API/V1/vaults'],
      ['GET', '//api/v1/vaults'],
      ['GET', '/api/v1/%E0%A4%A'],
      ['GET', '/__proto__'],
    ] as const) {
      const reply = await developer(method, path);
      expect(reply, `${method} ${path}`).toMatchObject(refusal('NOT_FOUND', { method, path }));
      expect(reply.body.error.message).toBe(`There is no operation at ${method} ${path}.`);
      expectEveryHeader(reply);
    }
  });

  test('the 404 of an unknown path shows neither its query nor more than 500 characters', async () => {
    const { developer } = await startTestServer();
    const queried = await developer('GET', '/api/v1/api/v1/vaults?search=secret');
    expect(queried.body.error.message).toBe('There is no operation at GET /api/v1/api/v1/vaults.');
    expect(JSON.stringify(queried.body)).not.toContain('secret');
    const { details } = (await developer('GET', `/${'a'.repeat(4000)}`)).body.error;
    expect(details.path).toBe(`/${'a'.repeat(499)}…`);
  });

  test('malformed and hostile ids return 404 NOT_FOUND', async () => {
    const { developer } = await startTestServer();
    const ids = ['%E0%A4%A', '%00', '%2e%2e%2fvaults', 'a'.repeat(4000), "' OR 1 = 1 --"];
    for (const id of ids) {
      const reply = await developer('GET', `/api/v1/vaults/${id}`);
      expect(reply, id).toMatchObject(refusal('NOT_FOUND'));
      expect(reply.body.error.message).toBe('There is no such vault.');
    }
  });

  const aliases = Object.entries(contractDocument['x-path-aliases']);

  test.each(aliases)('%s returns the same replies as %s', async (alias, canonical) => {
    const operations = contractOperations.filter(({ path }) => path === canonical);
    expect(operations).not.toEqual([]);
    const { anonymous, developer } = await startTestServer();
    for (const { method } of operations) {
      for (const call of [anonymous, developer]) {
        const expected = await call(method.toUpperCase(), filled(canonical));
        const reply = await call(method.toUpperCase(), filled(alias));
        expect(comparable(reply)).toEqual(comparable(expected));
        expectEveryHeader(reply);
      }
    }
  });

  test('a webhook created, changed and deleted under /webhooks is the one under /api/v1/webhooks', async () => {
    const { developer } = await startTestServer();
    const created = await developer('POST', '/webhooks', { body: webhook });
    expect(created.status).toBe(201);
    const { id } = created.body;
    expect((await developer('GET', `/api/v1/webhooks/${id}`)).body).toEqual(created.body);

    await developer('PUT', `/webhooks/${id}`, { body: { description: 'changed' } });
    const lists = [await developer('GET', '/webhooks'), await developer('GET', '/api/v1/webhooks')];
    expect(lists.map(({ body }) => body.data[0].description)).toEqual(['changed', 'changed']);

    expect((await developer('DELETE', `/webhooks/${id}`)).status).toBe(204);
    expect((await developer('GET', `/api/v1/webhooks/${id}`)).status).toBe(404);
  });

  test('a share token opens the document under all three paths', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const { shareToken } = await newShare(developer, document.id);
    for (const path of ['/shares', '/api/v1/shares', '/api/v1/documents/share']) {
      const opened = await developer('GET', `${path}/${shareToken}`);
      expect(opened).toMatchObject({ status: 200, body: { id: document.id } });
    }
  });
});

describe('GET /openapi/v1.json', () => {
  test('returns the file openapi/v1.json with the address of this server', async () => {
    const { anonymous, url } = await startTestServer();
    const file = new URL('../../../openapi/v1.json', import.meta.url);
    const written = JSON.parse(await readFile(file, 'utf8'));
    const { status, body } = await anonymous('GET', '/openapi/v1.json');
    expect(status).toBe(200);
    expect(body).toEqual({ ...written, servers: [{ url }] });
  });

  test('names the configured baseUrl as its server', async () => {
    const { url, close } = await startTestServer();
    await close();
    const baseUrl = 'https://vault.example.com/documents';
    const port = Number(new URL(url).port);
    expect((await startTestServer({ port, baseUrl })).url).toBe(baseUrl);
    const served = await fetch(`${url}/openapi/v1.json`);
    expect(await served.json()).toMatchObject({ servers: [{ url: baseUrl }] });
  });
});

test('a request target that is not a path returns 404 NOT_FOUND', async () => {
  const { url } = await startTestServer();
  const { hostname, port } = new URL(url);
  for (const target of ['http://[::', 'ftp://example.com/api/v1/vaults', '*']) {
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const reply = await text(socket);
    expect(reply, target).toMatch(/^HTTP\/1\.1 404 /);
    expect(reply).toContain('"code":"NOT_FOUND"');
    expect(reply).toMatch(/^X-RateLimit-Limit: /m);
  }
});
