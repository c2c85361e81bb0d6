import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { EventHandlers, ReceiverOptions } from '../../../src/index.ts';
import { createVerifier } from '../../../src/index.ts';
import type { Verifier } from '../../../src/verifier.ts';
import { otherSecret, secret } from '../builds.ts';
import { sign } from '../sign.ts';
import type { BuildServer } from './frameworks.ts';

export const verifier: Verifier = createVerifier({ secrets: [secret, otherSecret] });

/** A reported error with the status of its response. */
export interface Report {
  readonly error: Error & { readonly code?: string };
  readonly status: number;
  readonly eventId: string | undefined;
}

export interface TestReceiver {
  readonly url: string;
  /** What the receiver reported, in order. */
  readonly reports: readonly Report[];
  /** The events that reached a handler, as `<handler>: <type>`. */
  readonly handled: readonly string[];
}

interface ReceiverSetup {
  readonly handlers?: EventHandlers;
  readonly options?: ReceiverOptions;
  readonly verifier?: Verifier;
}

const servers: Server[] = [];

/** Stops every started server. Register it with `afterEach`. */
export async function stopServers(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    if (server.listening) await once(server, 'close');
  }
}

/** Listens on a free port and returns the URL for webhooks. */
export async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

/** Starts a receiver that records handled events and reported errors. */
export async function startReceiver(
  build: BuildServer,
  setup: ReceiverSetup = {},
): Promise<TestReceiver> {
  const handled: string[] = [];
  const reports: Report[] = [];
  const handlers = setup.handlers ?? {
    'vault.deleted': (event) => void handled.push(`vault.deleted: ${event.type}`),
    default: (event) => void handled.push(`default: ${event.type}`),
  };
  const server = await build(setup.verifier ?? verifier, handlers, {
    onError: (error, { status, event }) => reports.push({ error, status, eventId: event?.id }),
    ...setup.options,
  });
  return { url: await listen(server), reports, handled };
}

export interface TextAnswer {
  readonly status: number;
  readonly text: string;
}

/** Posts a body, signed unless a signature is given. */
export async function post(
  { url }: { readonly url: string },
  body: string | Uint8Array<ArrayBuffer>,
  signature: string | null = sign(body, secret),
): Promise<TextAnswer> {
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (signature !== null) headers.set('X-Service-Signature', signature);
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

/** A request that a test writes and aborts. */
export function openRequest(
  { url }: { readonly url: string },
  headers: Record<string, string | string[]>,
): ClientRequest {
  const request = httpRequest(url, { method: 'POST', headers });
  request.on('error', () => {});
  return request;
}

/** Waits until a condition holds, or the test times out. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

/** Asserts that a request was refused, and that only the report has the reason. */
export function expectRefusal(
  { handled, reports }: TestReceiver,
  answer: TextAnswer,
  expected: { readonly status: number; readonly text: string; readonly code: string },
): void {
  const { status, text, code } = expected;
  expect(answer).toEqual({ status, text });
  expect(handled).toEqual([]);
  expect(reports).toEqual([
    { error: expect.objectContaining({ code }), status, eventId: undefined },
  ]);
}
