/** Events and signed requests for tests of a receiver. */
import { deliveryHeaders, type SignedRequestOptions } from './delivery.ts';
import type { ReceivedEvent, UnknownEvent } from './event.ts';
import type { EventType, WebhookEventMap } from './generated/events.ts';
import { fixtures } from './generated/fixtures.ts';

export { type SignedRequestOptions, sign } from './delivery.ts';

/**
 * A delivery as the service sends it, in the form that `fetch` accepts. A second request with the
 * same object is a second attempt at the same delivery.
 */
export interface SignedRequest {
  /** Webhooks are sent by POST. */
  method: 'POST';
  /** The signatures and every other header that the service sends. */
  headers: Record<string, string>;
  /** The signed bytes, as text in UTF-8. */
  body: string;
}

/** An event of a type that this version does not know. Its shape is not checked. */
export type FutureEvent<Type extends string = string> = Omit<UnknownEvent, 'type'> & {
  type: Type extends EventType ? never : Type;
};

/**
 * Resolves to the request that delivers an event. It has every header that the service sends, and a new
 * delivery id.
 *
 * @param event serialised once as JSON; the signatures are computed over those bytes
 * @param secret the secret of the webhook, at least 32 characters
 * @throws WebhookVerificationError with a code that begins with `secret_`
 * @example
 * ```ts
 * await fetch(url, await signedRequest(fixture('vault.created'), secret));
 * ```
 */
export async function signedRequest<Type extends string>(
  event: ReceivedEvent | FutureEvent<Type>,
  secret: string,
  options: SignedRequestOptions = {},
): Promise<SignedRequest> {
  const body = JSON.stringify(event);
  return { method: 'POST', headers: await deliveryHeaders(event, body, secret, options), body };
}

/**
 * Returns an event: the example of the contract with the current time as its `timestamp`, because a
 * receiver refuses events that are older than `maxAge`.
 *
 * The `id` is the same on every call, and a receiver handles an id once. Set another `id` to have the
 * event handled again: `{ ...fixture('vault.created'), id: 'evt_2' }`.
 *
 * @param type an event type of this version
 * @returns a copy that you may change
 * @throws RangeError for any other type
 * @example
 * ```ts
 * const event = fixture('document.uploaded');
 * event.data.object.fileName = 'letter.pdf.enc';
 * ```
 */
export function fixture<Type extends EventType>(type: Type): WebhookEventMap[Type] {
  if (!Object.hasOwn(fixtures, type)) throw new RangeError(`There is no event type '${type}'.`);
  return { ...structuredClone(fixtures[type]), timestamp: new Date().toISOString() };
}

/**
 * Returns a new secret for a webhook, as the service generates it: `whsec_` and 30 random bytes in base64.
 * All of it is the secret, with its prefix. Libraries for Standard Webhooks accept it too.
 *
 * @example
 * ```ts
 * const secret = newWebhookSecret();
 * ```
 */
export function newWebhookSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(30))))}`;
}
