import { createHmac } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAttempt } from '../../src/delivery/attempt.ts';
import { attempt, clock, never, receiver } from '../support/delivery/attempts.ts';
import { queuedDelivery } from '../support/delivery/queued.ts';
import { startReceiver } from '../support/delivery/receiver.ts';

describe('request', () => {
  test('an attempt sends a signed POST with exactly the stored bytes', async () => {
    const { url, requests } = await receiver();
    const body = '{"id":"evt_1","text":"Grüße, 世界 \\u0000 🗝️"}';
    const secret = 'geheim und länger als 32 Zeichen ✓';
    await attempt({ url: `${url}?a=1&b=%20`, body, secret });

    expect(requests).toHaveLength(1);
    const [request] = requests;
    expect(request?.method).toBe('POST');
    expect(request?.path).toBe('/hook?a=1&b=%20');
    expect(request?.body).toEqual(Buffer.from(body));
    const hex = createHmac('sha256', secret).update(Buffer.from(body)).digest('hex');
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-service-signature': `hmac_sha256=${hex}`,
      'x-service-event-id': 'evt_1',
      'x-service-event-type': 'vault.created',
      'x-service-delivery-id': 'dlv_1',
      'user-agent': 'document-vault/test',
      'accept-encoding': 'identity',
    });
  });

  test("an attempt sends the webhook's own headers, except reserved and malformed ones", async () => {
    const { url, requests } = await receiver();
    const { error } = await attempt({
      url,
      headers: {
        Authorization: 'Bearer x',
        'X-Tenant': 'Zürich',
        'user-agent': 'mine',
        'X-SERVICE-Signature': 'hmac_sha256=00',
        'x-service-anything': '1',
        'Webhook-Id': 'evt_other',
        'WEBHOOK-ANYTHING': '1',
        TraceParent: '00-0',
        'content-encoding': 'gzip',
        HOST: 'elsewhere.example',
        'content-length': '1',
        'Content-Type': 'text/plain',
        'Transfer-Encoding': 'chunked',
        Connection: 'close',
        Expect: '100-continue',
        'Accept-Encoding': 'gzip',
        'X-Split': 'a\r\nX-Injected: 1',
        'not a name': '1',
        'X-Long': 'x'.repeat(4097),
        'X-Wide': '世',
      },
    });
    expect(error).toBeNull();
    const headers = requests[0]?.headers ?? {};
    expect(headers).toMatchObject({
      authorization: 'Bearer x',
      'user-agent': 'mine',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    });
    expect(headers['x-service-signature']).toMatch(/^hmac_sha256=[0-9a-f]{64}$/);
    expect(headers['x-tenant']).toBe('Zürich');
    expect(headers.host).toBe(new URL(url).host);
    expect(headers['webhook-id']).toBe('evt_1');
    for (const name of ['webhook-anything', 'traceparent', 'content-encoding']) {
      expect(headers).not.toHaveProperty(name);
    }
    for (const name of ['x-service-anything', 'transfer-encoding', 'expect', 'x-split']) {
      expect(headers).not.toHaveProperty(name);
    }
    for (const name of ['x-injected', 'not a name', 'x-long', 'x-wide']) {
      expect(headers).not.toHaveProperty(name);
    }
  });
});

describe('result', () => {
  test.each([200, 201, 202, 204, 299])('status %i acknowledges the delivery', async (status) => {
    const { url } = await receiver((response) => response.writeHead(status).end());
    expect(await attempt({ url })).toEqual({
      startedAt: clock.now(),
      statusCode: status,
      durationMs: expect.any(Number),
      error: null,
      responseBody: '',
    });
  });

  test.each([
    [301, 'status 301, redirects are not followed'],
    [304, 'status 304, redirects are not followed'],
    [400, 'status 400'],
    [401, 'status 401'],
    [410, 'status 410'],
    [500, 'status 500'],
    [599, 'status 599'],
  ])('status %i fails the attempt', async (status, error) => {
    const { url } = await receiver((response) => response.writeHead(status).end());
    expect(await attempt({ url })).toMatchObject({ statusCode: status, error });
  });

  test('informational responses are skipped', async () => {
    const { url } = await receiver((response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      response.writeProcessing();
      response.writeHead(201).end('ok');
    });
    expect(await attempt({ url })).toMatchObject({ statusCode: 201, responseBody: 'ok' });
  });

  test('masks own header values that the response repeats, also where the body is cut', async () => {
    const headers = { Authorization: 'Bearer key-of-receiver', 'X-Tenant': 'acme' };
    const filler = 'x'.repeat(1_996);
    const { url } = await receiver((response) =>
      response
        .writeHead(500)
        .end(`acme: Bearer key-of-receiver key-of-receiver ${filler} key-of-receiver`),
    );
    const { responseBody } = await attempt({ url, headers });
    expect(responseBody).toBe(`acme: Bearer *** *** ${filler} ***`);
  });

  test('the result contains the first 2 KiB of the response body, without a cut-off character', async () => {
    const { url } = await receiver((response) => response.end(`x${'é'.repeat(2000)}`));
    const { responseBody } = await attempt({ url });
    expect(responseBody).toBe(`x${'é'.repeat(1023)}`);
  });

  test('NUL in a response body is replaced', async () => {
    const { url } = await receiver((response) => response.end('a\0b'));
    expect((await attempt({ url })).responseBody).toBe('a\uFFFDb');
  });

  test('a refused connection fails the attempt without a status', async () => {
    const { url, close } = await startReceiver();
    await close();
    expect(await attempt({ url })).toEqual({
      startedAt: clock.now(),
      statusCode: null,
      durationMs: expect.any(Number),
      error: 'connection refused',
      responseBody: null,
    });
  });

  test('an attempt without a response fails with a timeout', async () => {
    const { url } = await receiver(() => undefined);
    expect(await attempt({ url }, { timeoutMs: 100 })).toMatchObject({
      statusCode: null,
      error: 'timeout after 0.1 s',
      responseBody: null,
    });
  });

  test('an aborted attempt ends with the error "the server was stopped"', async () => {
    const { url, received } = await receiver(() => undefined);
    const abort = new AbortController();
    const post = createAttempt({ clock, timeoutMs: 10_000, allowPrivate: true, userAgent: '-' });
    const record = post(queuedDelivery({ url }), abort.signal);
    await received(1);
    abort.abort();
    expect(await record).toMatchObject({ statusCode: null, error: 'the server was stopped' });
    expect(await post(queuedDelivery({ url }), abort.signal)).toMatchObject({
      error: 'the server was stopped',
    });
  });
});

test('later attempts reuse the connection', async () => {
  const ports = new Set<number | undefined>();
  const { url } = await receiver((response) => {
    ports.add(response.socket?.remotePort);
    response.end();
  });
  const post = createAttempt({ clock, timeoutMs: 10_000, allowPrivate: true, userAgent: '-' });
  for (let count = 0; count < 10; count += 1) await post(queuedDelivery({ url }), never);
  expect(ports.size).toBeLessThanOrEqual(2);
});

test('an attempt succeeds after the receiver has closed the idle connection', async () => {
  const closed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let received = 0;
  const { url } = await receiver((response) => {
    const socket = response.socket;
    socket?.on('close', () => closed[received++]?.resolve());
    response.end(() => socket?.end());
  });
  const post = createAttempt({ clock, timeoutMs: 10_000, allowPrivate: true, userAgent: '-' });
  for (const { promise } of closed) {
    expect((await post(queuedDelivery({ url }), never)).error).toBeNull();
    await promise;
  }
});

test('many concurrent attempts with one signal emit no warning', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { url } = await receiver();
  const post = createAttempt({ clock, timeoutMs: 10_000, allowPrivate: true, userAgent: '-' });
  const { signal } = new AbortController();
  const records = await Promise.all(
    Array.from({ length: 50 }, () => post(queuedDelivery({ url }), signal)),
  );
  expect(records.every(({ error }) => error === null)).toBe(true);
  expect(warnings).toEqual([]);
});
