/** The request that carries an event, shared by both builds of `/sign` and the command line. */
import type { UnknownEvent } from './event.ts';
import type { EventType } from './generated/events.ts';
import { signatureHeader } from './signature.ts';

/** Set by the build, from package.json. */
declare const WEBHOOK_VERIFY_VERSION: string | undefined;

/** The version of this package, or `source` when it runs from its sources. */
export const version =
  typeof WEBHOOK_VERIFY_VERSION === 'string' ? WEBHOOK_VERIFY_VERSION : 'source';

/**
 * A delivery as the service sends it, in the form that `fetch` accepts. A second request with the
 * same object is a second attempt at the same delivery.
 */
export interface SignedRequest {
  /** Webhooks are sent by POST. */
  method: 'POST';
  /** The signature and every other header that the service sends. */
  headers: Record<string, string>;
  /** The signed bytes, as text in UTF-8. */
  body: string;
}

/** An event of a type that this version does not know. Its shape is not checked. */
export type FutureEvent<Type extends string = string> = Omit<UnknownEvent, 'type'> & {
  type: Type extends EventType ? never : Type;
};

/** The part of an event that its headers repeat. */
export interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly context?: { readonly test?: boolean };
}

/** Returns the headers that the service sends with an event, with a new delivery id. */
export function deliveryHeaders({ id, type, context }: DeliveredEvent, signature: string) {
  return {
    'Content-Type': 'application/json',
    [signatureHeader]: signature,
    'X-Service-Event-Id': id,
    'X-Service-Event-Type': type,
    'X-Service-Delivery-Id': `dlv_${crypto.randomUUID().replaceAll('-', '')}`,
    ...(context?.test && { 'X-Service-Test': 'true' }),
    'Accept-Encoding': 'identity',
    'User-Agent': `document-vault-webhooks/${version}`,
  };
}
