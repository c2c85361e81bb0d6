/** The headers that carry an event, shared by `/testing` and the command line. */
import { bytesOf, encode, type RawBody } from './body.ts';
import { type SigningKey, signingKeys } from './generated/rules/webhook-secrets.ts';
import { platformHmacs } from './hmac.ts';
import { checkSecret } from './secrets.ts';

/** Set by the build, from package.json. */
declare const WEBHOOK_VERIFY_VERSION: string | undefined;

/** The version of this package, or `source` when it runs from its sources. */
export const version =
  typeof WEBHOOK_VERIFY_VERSION === 'string' ? WEBHOOK_VERIFY_VERSION : 'source';

/** Options of {@link signedRequest}. */
export interface SignedRequestOptions {
  /** When the attempt began. A receiver refuses more than 5 minutes around its own time. @default now */
  readonly sentAt?: Date | undefined;
}

/**
 * Resolves to the value of the `X-Service-Signature` header for a body.
 *
 * @param body the bytes to be sent; a string stands for its UTF-8 bytes
 * @param secret the secret of the webhook, at least 32 characters
 * @returns `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the body
 * @throws WebhookVerificationError `body_not_raw`, or a code that begins with `secret_`
 * @example
 * ```ts
 * await sign('{"id":"evt_1","type":"vault.deleted"}', process.env.WEBHOOK_SECRET);
 * ```
 */
export async function sign(body: RawBody, secret: string): Promise<string> {
  const hmac = platformHmacs().of(encode(checkSecret(secret)));
  const digest = [...decode(await hmac(bytesOf(body)))];
  return `hmac_sha256=${digest.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The part of an event that its headers repeat. */
export interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly context?: { readonly test?: boolean };
}

/** Resolves to the headers that the service sends with the bytes of an event, with a new delivery id. */
export async function deliveryHeaders(
  { id, type, context }: DeliveredEvent,
  body: RawBody,
  secret: string,
  { sentAt = new Date() }: SignedRequestOptions = {},
): Promise<Record<string, string>> {
  const timestamp = `${Math.floor(sentAt.getTime() / 1000)}`;
  const { of } = platformHmacs();
  const bytes = bytesOf(body);
  const prefix = encode(`${id}.${timestamp}.`);
  const signatures = signingKeys(checkSecret(secret)).map(async (key) => {
    return `v1,${await of(bytesOfKey(key))(prefix, bytes)}`;
  });
  return {
    'Content-Type': 'application/json',
    'X-Service-Signature': await sign(bytes, secret),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': (await Promise.all(signatures)).join(' '),
    'X-Service-Event-Id': id,
    'X-Service-Event-Type': type,
    'X-Service-Delivery-Id': `dlv_${crypto.randomUUID().replaceAll('-', '')}`,
    ...(context?.test && { 'X-Service-Test': 'true' }),
    'Accept-Encoding': 'identity',
    'User-Agent': `document-vault-webhooks/${version}`,
  };
}

const bytesOfKey = ({ text, encoding }: SigningKey) =>
  encoding === 'base64' ? decode(text) : encode(text);

const decode = (base64: string) =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
