import { readFile } from 'node:fs/promises';
import {
  DocumentVault,
  type DocumentVaultOptions,
  type FailureEvent,
  type RequestEvent,
  type ResponseEvent,
  type RetryEvent,
} from '@document-vault/sdk';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { apiKey, keyClient, rejection, sessionClient } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, networkError, requestId, vaultBody } from './support/responses.ts';
import { ada, sessionService } from './support/session.ts';

const operation = 'GET /api/v1/vaults/{id}';

/** Creates a client that is logged in and records its retry events. */
async function observed() {
  const service = sessionService();
  const { fetch, store } = service;
  const events: RetryEvent[] = [];
  const onRetry = (event: RetryEvent) => events.push(event);
  const client = sessionClient({ fetch, onRetry, session: { store } });
  await client.auth.login(ada);
  return { ...service, client, events };
}

describe('guarantee 9: hooks', () => {
  test('hooks receive each attempt, each response and each retry with reason, delay and attempt', async () => {
    const events: object[] = [];
    const { fetch } = scriptedFetch(
      () => {
        throw networkError('ECONNRESET');
      },
      () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 2 }),
      () => json(vaultBody),
    );
    const clock = new JumpingClock();
    const client = keyClient({
      clock,
      random: () => 0,
      fetch: (url, init) => {
        clock.advance(30);
        return fetch(url, init);
      },
      onRequest: ({ headers: _, ...event }: RequestEvent) => events.push({ request: event }),
      onResponse: (event: ResponseEvent) => events.push({ response: event }),
      onFailure: ({ error: { name }, ...event }: FailureEvent) =>
        events.push({ failure: { ...event, name } }),
      onRetry: (event: RetryEvent) => events.push({ retry: event }),
    });
    await client.vaults.get('1');
    const ids = events.flatMap((event) => Object.values(event)).map(({ callId }) => callId);
    expect(new Set(ids).size).toBe(1);
    const call = { callId: ids[0], operation, method: 'GET', path: '/api/v1/vaults/{id}' };
    const answer = { ...call, requestId, durationMs: 30 };
    expect(events).toEqual([
      { request: { ...call, attempt: 1 } },
      { failure: { ...call, attempt: 1, name: 'ConnectionError' } },
      { retry: { ...call, attempt: 1, reason: 'network', status: undefined, delayMs: 250 } },
      { request: { ...call, attempt: 2 } },
      { response: { ...answer, attempt: 2, status: 429 } },
      { retry: { ...call, attempt: 2, reason: 'status', status: 429, delayMs: 2_000 } },
      { request: { ...call, attempt: 3 } },
      { response: { ...answer, attempt: 3, status: 200 } },
    ]);
  });

  test('onRetry receives the reason of a timeout', async () => {
    const events: RetryEvent[] = [];
    const { fetch } = scriptedFetch(() => new Promise<never>(() => {}));
    const client = keyClient({ fetch, timeout: 5, onRetry: (event) => events.push(event) });
    await rejection(client.vaults.get('1'));
    expect(events.map(({ reason }) => reason)).toEqual(['timeout', 'timeout']);
  });

  test('onRetry is called after a successful renewal only', async () => {
    for (const renewed of [true, false]) {
      const { client, state, events, expireAll } = await observed();
      expireAll();
      if (!renewed) state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
      await client.vaults.get('1').catch(() => {});
      const { length } = events.filter(({ reason }) => reason === 'expired-token');
      expect(length).toBe(renewed ? 1 : 0);
    }
  });

  test('onRequest can add headers and sees no credentials', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const seen: object[] = [];
    const client = keyClient({
      fetch,
      onRequest: ({ headers }) => {
        headers.traceparent = '00-1';
        headers['x-api-key'] = 'mine';
        seen.push({ ...headers });
      },
    });
    await client.vaults.get('1');
    expect(sent[0]?.headers).toMatchObject({ traceparent: '00-1', 'x-api-key': apiKey });
    expect(JSON.stringify(seen)).not.toContain(apiKey);
  });

  test('the logger receives requests and responses at debug and retries at warn', async () => {
    const lines: string[] = [];
    const logger = {
      debug: (_details: object, message: string) => lines.push(`debug ${message}`),
      warn: (_details: object, message: string) => lines.push(`warn ${message}`),
    };
    const { fetch } = scriptedFetch(
      () => new Response('', { status: 503 }),
      () => json(vaultBody),
    );
    await keyClient({ fetch, logger }).vaults.get('1');
    expect(lines).toEqual([
      'debug request',
      'debug response',
      'warn retry',
      'debug request',
      'debug response',
    ]);
  });

  test('a logger of pino writes the fields of each line', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
    const { fetch } = scriptedFetch(
      () => new Response('', { status: 503 }),
      () => json(vaultBody),
    );
    await keyClient({ fetch, logger }).vaults.get('1');
    const operation = 'GET /api/v1/vaults/{id}';
    const call = { operation, method: 'GET', path: '/api/v1/vaults/{id}' };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 20, msg: 'request', ...call, attempt: 1 },
      { level: 20, msg: 'response', ...call, attempt: 1, status: 503 },
      { level: 40, msg: 'retry', ...call, reason: 'status', status: 503 },
      { level: 20, msg: 'request', ...call, attempt: 2 },
      { level: 20, msg: 'response', ...call, attempt: 2, status: 200 },
    ]);
  });

  test.each([
    ['onRequest', 'throws'],
    ['onResponse', 'throws'],
    ['onRetry', 'throws'],
    ['onRequest', 'rejects'],
    ['onResponse', 'rejects'],
    ['onRetry', 'rejects'],
  ])('%s that %s is logged and changes nothing', async (hook, way) => {
    const fault = new Error('no tracer');
    const { fetch, sent } = scriptedFetch(
      () => new Response('', { status: 503 }),
      () => json(vaultBody),
    );
    const lines: unknown[] = [];
    const warn = (details: object, message: string) => lines.push([message, details]);
    const fails = () => {
      if (way === 'rejects') return Promise.reject(fault);
      throw fault;
    };
    const logger = { debug: () => {}, warn };
    const client = keyClient({ fetch, logger, [hook]: fails });
    await expect(client.vaults.create({ name: 'x' })).resolves.toEqual(vaultBody);
    expect(sent).toHaveLength(2);
    expect(lines).toContainEqual([`${hook} failed`, { err: fault }]);
  });

  test('headers that onRequest adds before it fails are not sent', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const onRequest = ({ headers }: RequestEvent) => {
      headers.traceparent = '00-1';
      delete headers.accept;
      throw new Error('no tracer');
    };
    const logger = { debug: () => {}, warn: () => {} };
    await keyClient({ fetch, logger, onRequest }).vaults.get('1');
    expect(sent[0]?.headers).toMatchObject({ accept: 'application/json' });
    expect(sent[0]?.headers).not.toHaveProperty('traceparent');
  });

  test('a logger that throws changes nothing', async () => {
    const fails = () => {
      throw new Error('disk full');
    };
    const { fetch } = scriptedFetch(
      () => new Response('', { status: 503 }),
      () => json(vaultBody),
    );
    const client = keyClient({ fetch, logger: { debug: fails, warn: fails } });
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
  });

  test('an attempt waits for onRequest and sends the headers that it adds later', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const onRequest = async ({ headers }: RequestEvent) => {
      await new Promise((resolve) => setImmediate(resolve));
      headers.traceparent = '00-1';
    };
    await keyClient({ fetch, onRequest }).vaults.get('1');
    expect(sent[0]?.headers).toMatchObject({ traceparent: '00-1' });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no router');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no router'))],
  ])(
    'onExpired that %s is logged, and the call rejects with SessionExpiredError',
    async (_, onExpired) => {
      const service = sessionService();
      const lines: string[] = [];
      const logger = {
        debug: () => {},
        warn: (_details: object, message: string) => lines.push(message),
      };
      const session = { store: service.store, onExpired };
      const client = sessionClient({ fetch: service.fetch, logger, session });
      await client.auth.login(ada);
      service.expireAll();
      service.state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
      const error = await rejection(client.vaults.get('1'));
      expect(error).toMatchObject({ name: 'SessionExpiredError' });
      expect(lines).toContain('onExpired failed');
    },
  );

  test('hooks receive the request id of the response, or undefined without one', async () => {
    const told: unknown[] = [];
    const { fetch, sent } = scriptedFetch(
      () => json(vaultBody),
      () => new Response('{}'),
    );
    const client = keyClient({ fetch, onResponse: (event) => told.push(event.requestId) });
    await client.vaults.get('1');
    await client.vaults.get('1');
    expect(told).toEqual([requestId, undefined]);
    for (const { headers } of sent) expect(headers).not.toHaveProperty('x-request-id');
  });
});

describe('guarantee 9, hooks: every attempt ends', () => {
  test.each([
    ['a lost connection', () => Promise.reject(networkError('ECONNRESET')), 'ConnectionError', {}],
    ['a timeout', () => new Promise<never>(() => {}), 'TimeoutError', { timeout: 5 }],
    ['a bug in fetch', () => Promise.reject(new TypeError('no function')), 'VaultError', {}],
    ['an abort', () => new Promise<never>(() => {}), 'AbortError', { abortAfter: 5 }],
  ] as const)('onFailure receives %s', async (_, reaction, name, given) => {
    const { abortAfter, ...limits }: { abortAfter?: number; timeout?: number } = given;
    const signal = abortAfter === undefined ? undefined : AbortSignal.timeout(abortAfter);
    const options = { ...limits, signal };
    const failures: FailureEvent[] = [];
    const onFailure = (event: FailureEvent) => failures.push(event);
    const client = keyClient({ fetch: scriptedFetch(reaction).fetch, onFailure });
    const error = await rejection(client.vaults.get('1', { maxRetries: 0, ...options }));
    expect(error).toMatchObject({ name });
    expect(failures).toMatchObject([{ operation, attempt: 1, error: { name } }]);
  });

  test('onFailure shows no secret of a share', async () => {
    const failures: FailureEvent[] = [];
    const { fetch } = scriptedFetch(({ url }) => {
      throw Object.assign(networkError('ECONNRESET'), { message: url });
    });
    const onFailure = (event: FailureEvent) => failures.push(event);
    await rejection(keyClient({ fetch, onFailure, maxRetries: 0 }).shares.open('secret-token'));
    expect(failures).toHaveLength(1);
    expect(JSON.stringify(failures) + failures[0]?.error.stack).not.toContain('secret-token');
  });
});

describe('guarantee 9, hooks: the recipe for OpenTelemetry', () => {
  /** Spans as `@opentelemetry/api` makes them, and what became of them. */
  function tracing() {
    const spans: Record<string, unknown>[] = [];
    const startSpan = (name: string, options: object) => {
      const record: Record<string, unknown> = { name, ...options, ended: 0 };
      spans.push(record);
      const span = {
        setAttribute: (key: string, value: unknown) =>
          Object.assign(record, { [key]: value }) && span,
        setStatus: ({ code }: { code: number }) => Object.assign(record, { code }) && span,
        recordException: ({ name: exception }: Error) => Object.assign(record, { exception }),
        end: () => Object.assign(record, { ended: Number(record.ended) + 1 }),
      };
      return span;
    };
    return {
      spans,
      api: {
        context: { active: () => ({}) },
        propagation: {
          inject: (_: object, headers: Record<string, string>) => {
            headers.traceparent = `00-${spans.length}`;
          },
        },
        SpanKind: { CLIENT: 2 },
        SpanStatusCode: { ERROR: 2 },
        trace: { getTracer: () => ({ startSpan }), setSpan: () => ({}) },
      },
    };
  }

  test('has at most 15 lines, and makes one span for each attempt', async () => {
    const page = await readFile(new URL('../docs/recipes.md', import.meta.url), 'utf8');
    const [, code = ''] = /^```js\n(import [^`]*@opentelemetry\/api[^`]*)^```$/m.exec(page) ?? [];
    const lines = code.split('\n').filter((line) => line !== '' && !line.startsWith('import '));
    expect(lines.length).toBeLessThanOrEqual(15);
    const { spans, api } = tracing();
    const { fetch, sent } = scriptedFetch(
      () => Promise.reject(networkError('ECONNRESET')),
      () => new Response('', { status: 503 }),
      () => json(vaultBody),
    );
    class Traced extends DocumentVault {
      constructor(options: DocumentVaultOptions) {
        const clock = new JumpingClock();
        super({ ...options, baseUrl: 'https://vault.example.com', apiKey, fetch, clock });
      }
    }
    const names = ['DocumentVault', ...Object.keys(api)];
    const program = new Function(...names, `${lines.join('\n')}\nreturn client;`);
    const client: DocumentVault = program(Traced, ...Object.values(api));
    await client.vaults.get('1');
    expect(spans).toMatchObject([
      { name: operation, kind: 2, exception: 'ConnectionError', code: 2, ended: 1 },
      { name: operation, 'http.response.status_code': 503, ended: 1 },
      { name: operation, 'http.response.status_code': 200, ended: 1 },
    ]);
    expect(sent.map(({ headers }) => headers.traceparent)).toEqual(['00-1', '00-2', '00-3']);
  });
});

describe('guarantee 9, hooks: the logger', () => {
  test('VAULT_LOG=debug logs to the console', async () => {
    vi.stubEnv('VAULT_LOG', 'debug');
    const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
    const { fetch } = scriptedFetch(() => json(vaultBody));
    await keyClient({ fetch }).vaults.get('1');
    vi.stubEnv('VAULT_LOG', '');
    await keyClient({ fetch }).vaults.get('1');
    vi.unstubAllEnvs();
    expect(debug.mock.calls.map(([, message]) => message)).toEqual(['request', 'response']);
    debug.mockRestore();
  });
});
