import { createSecretKey, timingSafeEqual } from 'node:crypto';
import { WebhookVerificationError } from './errors.ts';
import { createParser } from './event.ts';
import { hmac } from './hmac.node.ts';
import { bytesOf, keysOf, signatureDigits } from './signature.ts';
import type { Verifier, VerifierOptions } from './verifier.ts';

const decoder = new TextDecoder();

/** Returns the text of a body as a decoder of its UTF-8 bytes does: well-formed, without a byte order mark. */
function textOf(content: string | Uint8Array): string {
  if (typeof content !== 'string') return decoder.decode(content);
  return content.toWellFormed().replace(/^\ufeff/, '');
}

/**
 * Creates a verifier on `node:crypto`.
 *
 * @throws {@link WebhookVerificationError} `secret_too_short` (also for a missing secret),
 * `secret_whitespace` or `invalid_max_age`. A function `secrets` is called and checked at the first delivery.
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const keys = keysOf(options.secrets, (secret) => createSecretKey(secret, 'utf8'));
  const parse = createParser(options);

  const verifySignatureSync: Verifier['verifySignatureSync'] = (rawBody, signature) => {
    // Node hashes a string faster than its encoded bytes.
    const content = typeof rawBody === 'string' ? rawBody : bytesOf(rawBody);
    const claimed = Buffer.from(signatureDigits(signature), 'hex');
    const secretIndex = keys().findIndex((key) =>
      timingSafeEqual(Buffer.from(hmac(key, content), 'hex'), claimed),
    );
    if (secretIndex < 0) {
      throw new WebhookVerificationError(
        'signature_mismatch',
        'The secret is wrong, or the body was changed.',
      );
    }
    return { secretIndex, event: () => parse(textOf(content)) };
  };
  const verifySync: Verifier['verifySync'] = (rawBody, signature) =>
    verifySignatureSync(rawBody, signature).event();

  return {
    verify: async (rawBody, signature) => verifySync(rawBody, signature),
    verifySignature: async (rawBody, signature) => verifySignatureSync(rawBody, signature),
    verifySync,
    verifySignatureSync,
  };
}
