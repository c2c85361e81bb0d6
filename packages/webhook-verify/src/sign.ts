import type { RawBody } from './body.ts';
import { bytesOf } from './body.ts';
import type { ReceivedEvent } from './event.ts';
import { hmac } from './hmac.node.ts';
import { checkSecret } from './secrets.ts';
import { signatureHeader, signaturePrefix } from './signature.ts';

/** A delivery as the service sends it; pass it to `fetch` as it is. */
export interface SignedRequest {
  method: 'POST';
  headers: Record<string, string>;
  body: string;
}

/**
 * Signs a body: the value of its `X-Service-Signature` header.
 *
 * @param body the bytes that will be sent; a string stands for its UTF-8 bytes
 * @param secret the secret of the webhook, at least 32 characters
 * @returns `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the body
 * @throws {@link WebhookVerificationError} for a secret that no webhook can have
 */
export function sign(body: RawBody, secret: string): string {
  return signaturePrefix + hmac(checkSecret(secret), bytesOf(body)).toString('hex');
}

/**
 * The request that delivers an event, for tests of a receiver.
 *
 * @param event serialised once, as JSON; the signature is over those bytes
 * @param secret the secret of the webhook, at least 32 characters
 * @throws {@link WebhookVerificationError} for a secret that no webhook can have
 */
export function signedRequest(event: ReceivedEvent, secret: string): SignedRequest {
  const body = JSON.stringify(event);
  return {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      [signatureHeader]: sign(body, secret),
      'X-Service-Event-Id': event.id,
      'X-Service-Event-Type': event.type,
    },
    body,
  };
}
