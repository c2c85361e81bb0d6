import { Webhook as StandardWebhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { createVerifier, eventTypes } from '../../src/index.ts';
import { fixture, newWebhookSecret } from '../../src/testing.ts';
import { otherSecret } from '../support/builds.ts';
import { command, fileOf, run } from '../support/cli/command-line.ts';
import { startKoaReceiver, startServer, type TestServer } from '../support/cli/servers.ts';
import { unknownEvent, vaultDeleted } from '../support/events.ts';

describe('webhook-verify send, to a real receiver', () => {
  test('delivers the fixture with the current time', async () => {
    const { url, events } = await startKoaReceiver();
    const before = Date.now();
    const { code, out, err } = await run(['send', 'vault.created', '--to', url]);
    const after = Date.now();

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^vault\.created evt_[0-9a-f]{32}\n200 OK in \d+ ms\nOK\n$/);
    const [event] = events;
    const { id, timestamp } = event ?? vaultDeleted;
    expect(event).toEqual({ ...fixture('vault.created'), id, timestamp });
    expect(out).toContain(id);
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(after);
  });

  test('accepts every event type', async () => {
    const { url, events } = await startKoaReceiver();
    for (const type of eventTypes) {
      expect(await command(['send', type, '--to', url])).toMatchObject({ code: 0 });
    }
    expect(events.map(({ type }) => type)).toEqual(eventTypes);
    expect(new Set(events.map(({ id }) => id)).size).toBe(22);
  });

  test('--id sends the same event twice', async () => {
    const { url, requests } = await startServer();
    const repeated = ['send', 'user.login', '--id', 'evt_7', '--to', url];
    await command(repeated);
    const { out } = await command(repeated);
    expect(out).toMatch(/^user\.login evt_7\n/);
    expect(requests.map(({ body }) => JSON.parse(body.toString()).id)).toEqual(['evt_7', 'evt_7']);
  });

  test('--secret overrides WEBHOOK_SECRET', async () => {
    const { url, secrets } = await startKoaReceiver();
    await command(['send', 'vault.created', '--to', url, '--secret', otherSecret]);
    expect(secrets).toEqual([1]);
  });

  test.each([
    [
      401,
      'the secret of another webhook',
      ['--secret', 'x'.repeat(32)],
      ' Does the receiver have the same secret?',
    ],
    [500, 'a handler that fails', [], ''],
  ])('exits with 1 on status %i: %s', async (status, _, args, hint) => {
    const { url } = await startKoaReceiver(() => {
      throw new Error('the queue is full');
    });
    const ended = await run(['send', 'vault.created', '--to', url, ...args]);
    expect(ended).toEqual({
      code: 1,
      out: expect.stringMatching(
        new RegExp(`^vault\\.created evt_\\w+\\n${status} .* in \\d+ ms\\n.`),
      ),
      err: `The receiver refused the event. The service would retry.${hint}\n`,
    });
  });
});

describe('webhook-verify send --data', () => {
  const sent = async (content: string, around = {}) => {
    const server = await startServer();
    const ended = await command(
      ['send', '--data', await fileOf(content), '--to', server.url],
      around,
    );
    return { ended, requests: server.requests };
  };

  test('sends the bytes of the file', async () => {
    const spaced = `\ufeff ${JSON.stringify(vaultDeleted, null, 2)}\r\n`;
    const { ended, requests } = await sent(spaced);
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect(requests.map(({ body }) => body)).toEqual([Buffer.from(spaced)]);
    expect(requests[0]?.headers).toMatchObject({
      'x-service-event-id': vaultDeleted.id,
      'x-service-event-type': 'vault.deleted',
    });
  });

  test('sends events of any type, also from standard input', async () => {
    const { url, events } = await startKoaReceiver();
    const event = unknownEvent('vault.archived');
    const input = JSON.stringify(event);
    const ended = await run(['send', '--data', '-', '--to', url], { input });
    expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/^vault\.archived evt_/) });
    expect(events).toEqual([event]);
  });
});

test('send sends the headers of the service', async () => {
  const server = await startServer();
  await command(['send', 'vault.created', '--to', `${server.url}?tenant=7`]);
  const [{ path, headers, body } = never()] = server.requests;
  expect(path).toBe('/hooks?tenant=7');
  expect(headers).toEqual({
    host: new URL(server.url).host,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(body.length),
    'accept-encoding': 'identity',
    'user-agent': 'document-vault-webhooks/source',
    'x-service-signature': expect.stringMatching(/^hmac_sha256=[0-9a-f]{64}$/),
    'webhook-id': JSON.parse(body.toString()).id,
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'webhook-signature': expect.stringMatching(/^v1,\S{44}$/),
    'x-service-event-id': JSON.parse(body.toString()).id,
    'x-service-event-type': 'vault.created',
    'x-service-delivery-id': expect.stringMatching(/^dlv_[0-9a-f]{32}$/),
  });
});

test('send signs with each key that libraries read from a secret', async () => {
  const server = await startServer();
  const secret = newWebhookSecret();
  await command(['send', 'vault.created', '--to', server.url, '--secret', secret]);
  const [{ headers, body } = never()] = server.requests;
  const received = headers as Record<string, string>;
  expect(received['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
  expect(() => new StandardWebhook(secret).verify(body, received)).not.toThrow();
  await expect(createVerifier({ secrets: secret }).verify(body, headers)).resolves.toHaveProperty(
    'type',
    'vault.created',
  );
});

function never(): never {
  throw new Error('nothing was sent');
}

describe('the response that send prints', () => {
  test.each<[string, Parameters<typeof startServer>[0], number, RegExp]>([
    [
      '204 without a body',
      (_, response) => response.writeHead(204).end(),
      0,
      /\n204 No Content in \d+ ms\n$/,
    ],
    [
      'its own words',
      (_, response) => response.writeHead(202, 'Queued').end('q-1\n'),
      0,
      /\n202 Queued in \d+ ms\nq-1\n$/,
    ],
    ['no words', (_, response) => response.writeHead(599, '').end(), 1, /\n599 in \d+ ms\n$/],
    [
      'no control characters',
      (_, response) => response.end('a\u001b[31m\r\nb\tc\0'),
      0,
      /\na\ufffd\[31m\nb\tc\ufffd\n$/,
    ],
    ['2 KiB', (_, response) => response.end('x'.repeat(2049)), 0, /\nx{2048} …\n$/],
    ['exactly 2 KiB', (_, response) => response.end('x'.repeat(2048)), 0, /\nx{2048}\n$/],
  ])('%s', async (_, respond, code, out) => {
    const server = await startServer(respond);
    const ended = await command(['send', 'vault.created', '--to', server.url]);
    expect(ended).toMatchObject({ code, out: expect.stringMatching(out) });
  });

  test('a redirect is a failure and is not followed', async () => {
    const target = await startServer();
    const from = (location?: string) =>
      startServer((_, response) =>
        response.writeHead(307, location === undefined ? {} : { location }).end(),
      );
    const err = async ({ url }: TestServer) => {
      const ended = await command(['send', 'vault.created', '--to', url]);
      expect(ended).toMatchObject({ code: 1, out: expect.stringContaining('\n307 Temporary') });
      return ended.err;
    };
    expect(await err(await from(target.url))).toBe(
      `The redirect to ${target.url} is a failure: the service follows no redirects.\n`,
    );
    expect(await err(await from())).toBe(
      'The redirect is a failure: the service follows no redirects.\n',
    );
    expect(target.requests).toEqual([]);
  });
});

test('send exits with 1 when nothing listens', async () => {
  const server = await startServer();
  await server.close();
  const ended = await run(['send', 'vault.created', '--to', server.url]);
  expect(ended).toEqual({
    code: 1,
    out: expect.stringMatching(/^vault\.created evt_\w+\n$/),
    err: `Connection refused: nothing listens on ${new URL(server.url).host}.\n`,
  });
});
