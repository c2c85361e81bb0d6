import { createHmac } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { createAjv } from '../../src/contract/ajv.ts';
import { contractDocument, resolvePointer } from '../../src/contract/contract.ts';
import { type ReceivedRequest, type Reply, startReceiver } from './delivery/receiver.ts';
import type { Caller, TestServer } from './server.ts';

export const secret = 'a secret of these tests, long enough';

/** Every event type of the contract. */
export const everyType = (resolvePointer('#/components/schemas/EventType') as { enum: string[] })
  .enum;

export interface ListenOptions {
  readonly server: Pick<TestServer, 'settled'>;
  /** A caller of the account that gets the webhook. */
  readonly call: Caller;
  /** Default: every type. */
  readonly events?: readonly string[];
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Response of the receiver; default: 200. */
  readonly reply?: Reply;
}

/** Starts a receiver and registers it as a webhook. */
export async function listen({ server, call, events = everyType, fields, reply }: ListenOptions) {
  const receiver = await startReceiver(reply);
  onTestFinished(() => receiver.close());
  const created = await call('POST', '/api/v1/webhooks', {
    body: { url: receiver.url, events, secret, ...fields },
  });
  expect(created).toMatchObject({ status: 201 });
  return {
    id: created.body.id as string,
    path: `/api/v1/webhooks/${created.body.id}`,
    url: receiver.url,
    requests: receiver.requests,
    received: receiver.received,
    /** Waits for due deliveries, and returns the events received since the last call. */
    async events() {
      await server.settled();
      return receiver.requests.splice(0).map(verifiedEvent);
    },
  };
}

/** The signature of a body, computed with `node:crypto`. */
export function signatureOf(body: Uint8Array, key = secret): string {
  return `hmac_sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

const ajv = createAjv(contractDocument);

/** Validates an event against the schema of its type in the contract. */
export function expectContractual(event: { readonly type: string }): void {
  const name = event.type.replaceAll(/(^|\.)([a-z])/g, (_, _dot, letter) => letter.toUpperCase());
  const pointer = `contract#/components/schemas/${name}Event`;
  const isEvent = ajv.getSchema(pointer);
  expect(isEvent?.(event), `${event.type}: ${JSON.stringify(isEvent?.errors)}`).toBe(true);
}

/** Requires the right signature, headers and body of a request, and returns its event. */
export function verifiedEvent({ method, headers, body }: ReceivedRequest) {
  const event = JSON.parse(body.toString('utf8'));
  expectContractual(event);
  expect(method).toBe('POST');
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-signature': signatureOf(body),
    'x-service-event-id': event.id,
    'x-service-event-type': event.type,
    'x-service-delivery-id': expect.stringMatching(/^dlv_[0-9a-f]{32}$/),
    'user-agent': expect.stringMatching(/^document-vault-webhooks\//),
  });
  return event;
}
