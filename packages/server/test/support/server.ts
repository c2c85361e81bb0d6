import { pino } from 'pino';
import { afterEach, expect } from 'vitest';
import { TestClock } from '../../src/clock.ts';
import { type RunningServer, type StartOptions, startServer } from '../../src/index.ts';
import { watchStatements } from './store/statements.ts';

/** What a request answered. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export interface Answer<Body = any> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends requests, always with the same credentials. */
export type Caller = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

export interface TestServer extends RunningServer {
  readonly clock: TestClock;
  /** Without credentials. */
  readonly anonymous: Caller;
  /** With the development account's API key. */
  readonly developer: Caller;
  /** With this API key. */
  withKey(apiKey: string): Caller;
  /** With this access token. */
  withToken(accessToken: string): Caller;
  /** Registers and signs in another account. */
  signUp(email: string): Promise<Account>;
  /** Signs in with a password. */
  signIn(credentials: { readonly email: string; readonly password: string }): Promise<Caller>;
}

export interface Account {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  readonly call: Caller;
}

export interface TestServerOptions extends StartOptions {
  /** Default: one of its own. */
  readonly clock?: TestClock;
}

const growing = watchStatements();

const running: { server: RunningServer; complaints: object[] }[] = [];

/**
 * A server on a free port with a fresh store and a clock that stands still. It holds each of its
 * answers against the contract; the test fails when one breaks it, or when the cost of a statement
 * grows with the data.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { clock = new TestClock() } = options;
  const complaints: object[] = [];
  const log = pino({ level: 'error' }, { write: (line) => complaints.push(JSON.parse(line)) });
  const server = await startServer({
    port: 0,
    data: ':memory:',
    validateResponses: true,
    // A connection whose request was refused before it was read is not waited for.
    shutdownTimeout: 500,
    log,
    ...options,
    clock,
  });
  running.push({ server, complaints });

  const caller =
    (credentials: Readonly<Record<string, string>>): Caller =>
    (method, path, { body, headers } = {}) =>
      send(server.url + path, { method, body, headers: { ...credentials, ...headers } });
  const withToken = (accessToken: string) => caller({ authorization: `Bearer ${accessToken}` });
  const signIn: TestServer['signIn'] = async ({ email, password }) => {
    const session = await caller({})('POST', '/auth/login', { body: { email, password } });
    expect(session.status).toBe(200);
    return withToken(session.body.accessToken);
  };

  return {
    ...server,
    clock,
    anonymous: caller({}),
    developer: caller({ 'x-api-key': server.account?.apiKey ?? '' }),
    withKey: (apiKey) => caller({ 'x-api-key': apiKey }),
    withToken,
    async signUp(email) {
      const password = 'correct horse battery staple';
      const user = await caller({})('POST', '/auth/register', {
        body: { email, password, name: 'Somebody' },
      });
      expect(user.status).toBe(201);
      return { userId: user.body.id, email, password, call: await signIn({ email, password }) };
    },
    signIn,
  };
}

async function send(
  url: string,
  { method, body, headers }: CallOptions & { method: string },
): Promise<Answer> {
  const isJson = body !== undefined && typeof body !== 'string';
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  } as RequestInit);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

afterEach(async () => {
  for (const { server, complaints } of running.splice(0)) {
    await server.close();
    expect(complaints).toEqual([]);
  }
  expect(growing(), 'statements whose cost grows with the data').toEqual([]);
});
