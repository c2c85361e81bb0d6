import { createSecretKey, timingSafeEqual } from 'node:crypto';
import { toUSVString } from 'node:util';
import { WebhookVerificationError } from './errors.ts';
import { createParser } from './event.ts';
import { hmac } from './hmac.node.ts';
import { bytesOf, keysOf, signatureDigits } from './signature.ts';
import type { NodeVerifier, VerifierOptions } from './verifier.ts';

const decoder = new TextDecoder();

/** The decoded signature. One buffer is enough, because decoding and comparison are synchronous. */
const claimed = Buffer.alloc(32);

/** Whether Node stores a text with two bytes for each UTF-16 code unit. */
const wide = /[\u0100-\uffff]/;

/** The bytes of a wide text of at most 64 Ki code units, which take 3 bytes each. */
const encoded = Buffer.alloc(196_608);

/**
 * Returns what is hashed. Node would encode a wide text while it hashes it; done here, this shows
 * whether the text has lone surrogates, which are encoded as U+FFFD.
 */
function hashedOf(content: string | Uint8Array): string | Buffer | Uint8Array {
  const isWide = typeof content === 'string' && content.length <= 65_536 && wide.test(content);
  return isWide ? encoded.subarray(0, encoded.write(content)) : content;
}

/** Returns the text of a body without a byte order mark, as a decoder of its UTF-8 bytes does. */
function textOf(content: string | Uint8Array, isWellFormed: boolean): string {
  if (typeof content !== 'string') return decoder.decode(content);
  return (isWellFormed ? content : toUSVString(content)).replace(/^\ufeff/, '');
}

/**
 * Creates a verifier on `node:crypto`.
 *
 * @throws {@link WebhookVerificationError} `secret_too_short` (also for a missing secret),
 * `secret_whitespace` or `invalid_max_age`. A function `secrets` is called and checked at the first delivery.
 */
export function createVerifier(options: VerifierOptions): NodeVerifier {
  const keys = keysOf(options.secrets, (secret) => createSecretKey(secret, 'utf8'));
  const parse = createParser(options);

  const verifySignatureSync: NodeVerifier['verifySignatureSync'] = (rawBody, signature) => {
    // Node hashes a string faster than its encoded bytes.
    const content = typeof rawBody === 'string' ? rawBody : bytesOf(rawBody);
    const hashed = hashedOf(content);
    const isWellFormed = hashed !== content && !(hashed as Buffer).includes('\ufffd');
    claimed.write(signatureDigits(signature), 'hex');
    const secretIndex = keys().findIndex((key) => timingSafeEqual(hmac(key, hashed), claimed));
    if (secretIndex < 0) {
      throw new WebhookVerificationError(
        'signature_mismatch',
        'The secret is wrong, or the body was changed.',
      );
    }
    return { secretIndex, event: () => parse(textOf(content, isWellFormed)) };
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
