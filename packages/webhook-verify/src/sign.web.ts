import { deliveryHeaders, type FutureEvent, type SignedRequest } from './delivery.ts';
import type { ReceivedEvent } from './event.ts';
import { hmac } from './hmac.web.ts';
import { bytesOf, checkSecret, type RawBody, signaturePrefix } from './signature.ts';

export type { FutureEvent, SignedRequest } from './delivery.ts';
export { newWebhookSecret } from './new-secret.ts';

/**
 * Returns the value of the `X-Service-Signature` header for a body, computed by Web Crypto.
 *
 * @param body the bytes to be sent; a string stands for its UTF-8 bytes
 * @param secret the secret of the webhook, at least 32 characters
 * @returns `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the body
 * @throws WebhookVerificationError `secret_too_short`, `secret_whitespace` or `body_not_raw`
 * @example
 * ```ts
 * await sign('{"id":"evt_1","type":"vault.deleted"}', env.WEBHOOK_SECRET);
 * ```
 */
export async function sign(body: RawBody, secret: string): Promise<string> {
  const key = bytesOf(checkSecret(secret)).slice();
  const digest = await hmac(key, bytesOf(body).slice());
  const digits = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0'));
  return signaturePrefix + digits.join('');
}

/**
 * Returns the request that delivers an event, for tests of a receiver. It has every header that the
 * service sends, and a new delivery id.
 *
 * @param event serialised once as JSON; the signature is computed over those bytes
 * @param secret the secret of the webhook, at least 32 characters
 * @throws WebhookVerificationError `secret_too_short` or `secret_whitespace`
 * @example
 * ```ts
 * await worker.fetch(url, await signedRequest(fixture('vault.created'), env.WEBHOOK_SECRET));
 * ```
 */
export async function signedRequest<Type extends string>(
  event: ReceivedEvent | FutureEvent<Type>,
  secret: string,
): Promise<SignedRequest> {
  const body = JSON.stringify(event);
  return { method: 'POST', headers: deliveryHeaders(event, await sign(body, secret)), body };
}
