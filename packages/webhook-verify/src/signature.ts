/** The inputs of a signature: the raw body, the secrets and the `X-Service-Signature` header. */
import { WebhookVerificationError } from './errors.ts';

/**
 * A request body exactly as it was received. A Node `Buffer` is a `Uint8Array`. A string stands for
 * its UTF-8 bytes.
 */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** The accepted secrets, or a synchronous function that returns them. */
export type Secrets = readonly string[] | (() => readonly string[]);

/** The value of `X-Service-Signature` as a server hands it over. An array is refused. */
export type SignatureHeader = string | readonly string[] | null | undefined;

/** Name of the header that carries the signature. */
export const signatureHeader = 'X-Service-Signature';

/** Start of the header's value. The lowercase hex HMAC-SHA256 of the body follows. */
export const signaturePrefix = 'hmac_sha256=';

/**
 * Returns the bytes of a body: a string encoded as UTF-8, or a view of the given bytes without a
 * copy.
 *
 * @throws {@link WebhookVerificationError} `body_not_raw` for anything else, such as a parsed object
 */
export function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  try {
    // DataView accepts buffers of other realms, where `instanceof` is false.
    const view = ArrayBuffer.isView(body) ? body : new DataView(body as ArrayBuffer);
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  } catch {
    throw new WebhookVerificationError('body_not_raw', 'The body is missing or parsed.');
  }
}

/**
 * Returns the secret when a webhook can have it: at least 32 characters (Unicode code points) and no
 * white space at either end.
 *
 * @throws {@link WebhookVerificationError} `secret_too_short` or `secret_whitespace`
 */
export function checkSecret(secret: unknown): string {
  if (typeof secret !== 'string' || [...secret].length < 32) {
    throw new WebhookVerificationError(
      'secret_too_short',
      'The secret is missing or has under 32 characters.',
    );
  }
  if (secret !== secret.trim())
    throw new WebhookVerificationError(
      'secret_whitespace',
      'The secret has white space at an end.',
    );
  return secret;
}

/**
 * Returns a checked copy of the secrets, so that later changes of the array have no effect.
 *
 * @throws {@link WebhookVerificationError} `secret_too_short` or `secret_whitespace`
 */
export function checkSecrets(secrets: readonly string[]): string[] {
  // JavaScript callers may pass a bare string or nothing.
  const list = [secrets].flat();
  checkSecret(list[0]);
  return list.map(checkSecret);
}

/**
 * Returns a function that returns the keys of the secrets. Checks a list at once, and the result of a function at
 * each call until it is valid.
 *
 * @throws {@link WebhookVerificationError} `secret_too_short` or `secret_whitespace`; the returned function also
 * `secrets_unavailable`
 */
export function keysOf<Key>(secrets: Secrets, create: (secret: string) => Key): () => Key[] {
  const keys = (list: readonly string[]) => checkSecrets(list).map((secret) => create(secret));
  let known: Key[] | undefined;
  if (typeof secrets !== 'function') known = keys(secrets);
  return () => (known ??= keys(read(secrets as () => readonly string[])));
}

function read(secrets: () => readonly string[]): readonly string[] {
  try {
    return secrets();
  } catch (cause) {
    throw new WebhookVerificationError('secrets_unavailable', 'The function secrets threw.', {
      cause,
    });
  }
}

const format = /^hmac_sha256=([0-9a-f]{64})$/;

/**
 * Returns the 64 hex digits of a signature header.
 *
 * @throws {@link WebhookVerificationError} `missing_signature` or `malformed_signature`
 */
export function signatureDigits(header: unknown): string {
  if (!header)
    throw new WebhookVerificationError('missing_signature', 'X-Service-Signature is missing.');
  const digits = typeof header === 'string' && format.exec(header)?.[1];
  if (!digits)
    throw new WebhookVerificationError(
      'malformed_signature',
      'The signature is not hmac_sha256= and 64 lowercase hex digits.',
    );
  return digits;
}
