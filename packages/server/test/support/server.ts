import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { type RunningServer, runWithServices, type StartOptions } from '../../src/app/start.ts';
import { resolveConfig } from '../../src/config/config.ts';
import type { PasswordCost } from '../../src/domain/accounts/secrets.ts';
import { TestClock } from '../../src/lib/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { sharedSigningKeys } from '../../src/test-server/signing-keys.ts';
import { databaseOf } from './postgres/databases.ts';
import { emptyDatabase } from './store/empty-database.ts';
import { watchStatements } from './store/statements.ts';

/** A response with its parsed JSON body, or the bytes of a content. */
// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
export interface Reply<Body = any> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface CallOptions {
  /** Bytes and texts are sent as they are, other values as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends requests with fixed credentials. */
export type Caller = (method: string, path: string, options?: CallOptions) => Promise<Reply>;

export interface TestServer extends RunningServer {
  readonly clock: TestClock;
  /** The store behind the interface, for rows that no request can create. */
  readonly store: Store;
  /** Sends requests without credentials. */
  readonly anonymous: Caller;
  /** Sends requests with the API key of the development account. */
  readonly developer: Caller;
  /** Returns a caller with this API key. */
  withKey(apiKey: string): Caller;
  /** Returns a caller with this access token. */
  withToken(accessToken: string): Caller;
  /** Registers and signs in another account. */
  signUp(email: string): Promise<Account>;
  /** Signs in with a password and returns a caller with the access token. */
  signIn(credentials: { readonly email: string; readonly password: string }): Promise<Caller>;
}

export interface Account {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  readonly call: Caller;
}

export interface TestServerOptions extends StartOptions {
  /** Default: a new one. */
  readonly clock?: TestClock;
  /** Default: the minimum of argon2. A hash at the cost of production takes 20 ms. */
  readonly passwordCost?: PasswordCost;
}

/**
 * Starts a server for the running test, on a free port with a new store and a test clock.
 *
 * The server validates its responses against the contract. The test fails when a response violates it,
 * when the server logs an error, or when the cost of a statement grows with the data.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const {
    clock = new TestClock(),
    passwordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 },
    log: givenLog,
    ...input
  } = options;
  const loggedErrors: object[] = [];
  const log =
    givenLog ?? pino({ level: 'error' }, { write: (line) => loggedErrors.push(JSON.parse(line)) });
  const database = await databaseOf(input.data ?? ':memory:');
  const config = resolveConfig({
    databaseUrl: database?.url,
    port: 0,
    data: ':memory:',
    validateResponses: true,
    // Connections whose request was rejected before it was read would delay the shutdown.
    shutdownTimeout: 500,
    ...input,
  });
  const growing = watchStatements();
  const newSigningKey = sharedSigningKeys();
  const template = await emptyDatabase();
  const starting = runWithServices(config, { clock, log, passwordCost, newSigningKey, template });
  onTestFinished(async () => {
    const started = await starting.catch(() => undefined);
    await started?.server.close();
    await database?.drop();
    const statements = growing();
    if (started) expect(loggedErrors).toEqual([]);
    expect(statements, 'statements whose cost grows with the data').toEqual([]);
  });
  const { server, store } = await starting;

  const caller =
    (credentials: Readonly<Record<string, string>>): Caller =>
    (method, path, { body, headers } = {}) =>
      send(server.localUrl + path, { method, body, headers: { ...credentials, ...headers } });
  const withToken = (accessToken: string) => caller({ authorization: `Bearer ${accessToken}` });
  const signIn: TestServer['signIn'] = async ({ email, password }) => {
    const session = await caller({})('POST', '/auth/login', { body: { email, password } });
    expect(session.status).toBe(200);
    return withToken(session.body.accessToken);
  };

  return {
    ...server,
    clock,
    store,
    anonymous: caller({}),
    developer: caller({ 'x-api-key': server.account?.apiKey ?? '' }),
    withKey: (apiKey) => caller({ 'x-api-key': apiKey }),
    withToken,
    async signUp(email) {
      const password = 'correct horse battery staple';
      const user = await caller({})('POST', '/auth/register', {
        body: { email, password, name: 'Test User' },
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
): Promise<Reply> {
  const isBytes = body instanceof Uint8Array;
  const isJson = body !== undefined && typeof body !== 'string' && !isBytes;
  const type = isBytes ? binaryType : 'application/json';
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  } as RequestInit);
  return { status: response.status, headers: response.headers, body: await bodyOf(response) };
}

const binaryType = 'application/octet-stream';

async function bodyOf(response: Response): Promise<unknown> {
  if (response.headers.get('content-type') === binaryType) {
    return Buffer.from(await response.arrayBuffer());
  }
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}
