import { bytesOf, type RawBody } from './body.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import type { ReceivedEvent, UnknownEvent } from './event.ts';
import type { EventType } from './generated/events.ts';
import { hmac } from './hmac.node.ts';
import { checkSecret } from './secrets.ts';
import { signaturePrefix } from './signature.ts';

/**
 * A delivery as the service sends it; pass it to `fetch` as it is. A second request with the same
 * object is a second attempt at the same delivery.
 */
export interface SignedRequest {
  /** Webhooks are sent by POST. */
  method: 'POST';
  /** With the signature, and every other header that the service sends. */
  headers: Record<string, string>;
  /** The bytes that are signed, as text in UTF-8. */
  body: string;
}

/** An event of a type that this version does not know, and whose shape is therefore not checked. */
export type FutureEvent<Type extends string = string> = Omit<UnknownEvent, 'type'> & {
  type: Type extends EventType ? never : Type;
};

/**
 * Signs a body: the value of its `X-Service-Signature` header.
 *
 * @param body the bytes that will be sent; a string stands for its UTF-8 bytes
 * @param secret the secret of the webhook, at least 32 characters
 * @returns `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the body
 * @throws WebhookVerificationError for a secret that no webhook can have
 */
export function sign(body: RawBody, secret: string): string {
  return signaturePrefix + hmac(checkSecret(secret), bytesOf(body)).toString('hex');
}

/**
 * The request that delivers an event, for tests of a receiver: with every header that the service
 * sends, under a delivery id of its own.
 *
 * @param event serialised once, as JSON; the signature is over those bytes
 * @param secret the secret of the webhook, at least 32 characters
 * @throws WebhookVerificationError for a secret that no webhook can have
 */
export function signedRequest<Type extends string>(
  event: ReceivedEvent | FutureEvent<Type>,
  secret: string,
): SignedRequest {
  const body = JSON.stringify(event);
  return { method: 'POST', headers: deliveryHeaders(event, sign(body, secret)), body };
}
