import { createSecretKey, timingSafeEqual } from 'node:crypto';
import { toUSVString } from 'node:util';
import { WebhookVerificationError } from './errors.ts';
import { createParser } from './event.ts';
import { hmac } from './hmac.node.ts';
import { bytesOf, checkSecrets, signatureDigits } from './signature.ts';
import type { NodeVerifier, VerifierOptions } from './verifier.ts';

const decoder = new TextDecoder();

/** The decoded signature. One buffer is enough, because decoding and comparison are synchronous. */
const claimed = Buffer.alloc(32);

/** Returns the text of a body without a byte order mark, as a decoder of its UTF-8 bytes does. */
function textOf(content: string | Uint8Array): string {
  return typeof content === 'string'
    ? toUSVString(content).replace(/^\ufeff/, '')
    : decoder.decode(content);
}

/**
 * Creates a verifier on `node:crypto`.
 *
 * @throws {@link WebhookVerificationError} `secret_too_short` (also for a missing secret),
 * `secret_whitespace` or `invalid_max_age`
 */
export function createVerifier(options: VerifierOptions): NodeVerifier {
  const keys = checkSecrets(options.secrets).map((secret) => createSecretKey(secret, 'utf8'));
  const parse = createParser(options);

  const verifySignatureSync: NodeVerifier['verifySignatureSync'] = (rawBody, signature) => {
    // Node hashes a string faster than its encoded bytes.
    const content = typeof rawBody === 'string' ? rawBody : bytesOf(rawBody);
    claimed.write(signatureDigits(signature), 'hex');
    const secretIndex = keys.findIndex((key) => timingSafeEqual(hmac(key, content), claimed));
    if (secretIndex < 0) {
      throw new WebhookVerificationError(
        'signature_mismatch',
        'The secret is wrong, or the body was changed.',
      );
    }
    return { secretIndex, event: () => parse(textOf(content)) };
  };
  const verifySync: NodeVerifier['verifySync'] = (rawBody, signature) =>
    verifySignatureSync(rawBody, signature).event();

  return {
    verify: async (rawBody, signature) => verifySync(rawBody, signature),
    verifySignature: async (rawBody, signature) => verifySignatureSync(rawBody, signature),
    verifySync,
    verifySignatureSync,
  };
}
