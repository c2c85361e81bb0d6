import { expect } from 'vitest';
import { errorCatalogue } from '../src/generated/rules/errors.ts';
import { inDatabase, makeAdmin } from '../test/support/data-folder.ts';
import { type Subscription, subscribe } from './deliveries.ts';
import { type HttpResponse, send } from './http.ts';
import { createJournal, expectEvent, type Journal } from './journal.ts';
import { type MovableServer, startMovableServer } from './movable-server.ts';
import * as operations from './operations.ts';
import { emptyState, type State } from './state.ts';
import type { Storage } from './storage.ts';

/** Longer than a result of /health/ready is cached, in milliseconds. */
const readinessAge = 1_001;

/** An account at work on storage that runs out. */
export interface Scene {
  readonly storage: Storage;
  readonly server: MovableServer;
  readonly expected: State;
  readonly journal: Journal;
  readonly unique: () => number;
  readonly subscription: Subscription;
  /** The requests that returned 500. */
  readonly refused: string[];
}

/** What was refused, and the key under which it is asked for again. */
export interface Refused {
  readonly operation: operations.Operation;
  readonly idempotencyKey: string;
}

export async function setUp(storage: Storage): Promise<Scene> {
  const first = await startMovableServer(storage.folder);
  await first.stop();
  // Receives the health events of the instances.
  makeAdmin(storage.folder, 'developer@example.com');
  const server = await startMovableServer(storage.folder);
  const subscription = await subscribe(server);
  // The key of the account may not ask for events of all accounts, such as those on the health of the instance.
  inDatabase(storage.folder, (database) => database.exec("UPDATE webhooks SET accounts = 'all'"));
  let last = 1_000;
  return {
    storage,
    server,
    expected: emptyState(),
    journal: createJournal(),
    unique: () => ++last,
    subscription,
    refused: [],
  };
}

/** Asks for a change, and notes it when it was made. */
export async function attempt(
  { server, expected, journal, refused }: Scene,
  operation: operations.Operation,
  idempotencyKey?: string,
): Promise<HttpResponse> {
  const { method, path, body, status } = operation;
  const response = await send(server, { method, path, body, idempotencyKey });
  if (response.status === status) {
    const made = response.body ?? { id: operation.subject };
    operation.apply(expected, made);
    expectEvent(journal, operation, made, response.requestId);
    journal.confirmed += 1;
  } else {
    refused.push(expectClearFailure(response));
  }
  return response;
}

/** A 500 that is the service's own: the body of the contract and every header. Returns its request id. */
export function expectClearFailure({ status, headers, body, requestId }: HttpResponse): string {
  expect({ status, body }).toEqual({
    status: 500,
    body: {
      error: {
        code: 'INTERNAL_ERROR',
        message: errorCatalogue.INTERNAL_ERROR.message,
        details: {},
        requestId,
        timestamp: expect.any(String),
      },
    },
  });
  expect(requestId).toMatch(/^req_/);
  for (const name of ['Limit', 'Remaining', 'Reset']) {
    expect(headers.get(`X-RateLimit-${name}`), name).toMatch(/^\d+$/);
    expect(headers.get(`X-Rate-Limit-${name}`), name).toMatch(/^\d/);
    expect(headers.get(`X-RateLimit-Minute-${name}`), name).toMatch(/^\d+$/);
  }
  expect(headers.get('X-RateLimit-Tier')).toBe('enterprise');
  return requestId;
}

/** The state of the readiness page, as of now. */
export async function ready({ server }: Scene): Promise<{ status: number; body: unknown }> {
  await server.advance(readinessAge);
  const { status, body } = await send(server, { method: 'GET', path: '/health/ready' });
  return { status, body };
}

/** Several upload at once until each is refused. */
export async function uploadUntilRefused(scene: Scene, vaultId: string): Promise<Refused[]> {
  const uploader = async (): Promise<Refused> => {
    for (;;) {
      const operation = operations.upload(scene.unique(), vaultId, 300_000);
      const idempotencyKey = `key ${scene.unique()}`;
      const { status } = await attempt(scene, operation, idempotencyKey);
      if (status === 500) return { operation, idempotencyKey };
    }
  };
  return Promise.all([uploader(), uploader(), uploader(), uploader()]);
}

/** Goes on with small changes until not even the smallest is possible. */
export async function useUp(scene: Scene, vaultId: string): Promise<void> {
  // More than once: one that fits fails as well when it shares its commit with one that does not.
  for (let refusals = 0; refusals < 5; ) {
    const { status } = await attempt(scene, operations.renameVault(scene.unique(), vaultId));
    const isReady = (await ready(scene)).status === 200;
    refusals = status === 500 && !isReady ? refusals + 1 : 0;
  }
}
