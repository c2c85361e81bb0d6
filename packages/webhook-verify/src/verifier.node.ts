import { createSecretKey, timingSafeEqual } from 'node:crypto';
import { toUSVString } from 'node:util';
import { bytesOf } from './body.ts';
import { WebhookVerificationError } from './errors.ts';
import { createParser } from './event.ts';
import { hmac } from './hmac.node.ts';
import { checkSecrets } from './secrets.ts';
import { signatureDigits } from './signature.ts';
import type { NodeVerifier, VerifierOptions } from './verifier.ts';

const decoder = new TextDecoder();

/** The signature of the request at hand: nothing waits between its decoding and its comparison. */
const claimed = Buffer.alloc(32);

/** What decoding the UTF-8 bytes of the body gives, a byte order mark removed. */
function textOf(content: string | Uint8Array): string {
  return typeof content === 'string'
    ? toUSVString(content).replace(/^\ufeff/, '')
    : decoder.decode(content);
}

/**
 * Makes a verifier on `node:crypto`.
 *
 * @throws {@link WebhookVerificationError} when there is no secret, or one is missing, shorter than
 * 32 characters or surrounded by white space, or `maxAge` is not above 0
 */
export function createVerifier(options: VerifierOptions): NodeVerifier {
  const keys = checkSecrets(options.secrets).map((secret) => createSecretKey(secret, 'utf8'));
  const parse = createParser(options);

  const verifySignatureSync: NodeVerifier['verifySignatureSync'] = (rawBody, signature) => {
    // Hashing a string is faster than encoding it first.
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
