import { bytesOf } from './body.ts';
import { WebhookVerificationError } from './errors.ts';
import { parseEvent } from './event.ts';
import { importKey, matches } from './hmac.web.ts';
import { checkSecrets } from './secrets.ts';
import { signatureDigits } from './signature.ts';
import type { Verifier, VerifierOptions } from './verifier.ts';

function decodeHex(digits: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number(`0x${pair}`));
}

/**
 * Makes a verifier on Web Crypto. Each secret is imported once, here.
 *
 * @throws {@link WebhookVerificationError} when there is no secret, or one is missing, shorter than
 * 32 characters or surrounded by white space
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const keys = checkSecrets(options.secrets).map((secret) => importKey(bytesOf(secret).slice()));

  const verifySignature: Verifier['verifySignature'] = async (rawBody, signature) => {
    // The copy cannot change while Web Crypto works, and is of memory that Web Crypto accepts.
    const bytes = bytesOf(rawBody).slice();
    const expected = decodeHex(signatureDigits(signature));
    for (const [secretIndex, key] of keys.entries()) {
      if (await matches(await key, expected, bytes)) {
        return { secretIndex, event: () => parseEvent(bytes, options) };
      }
    }
    throw new WebhookVerificationError(
      'signature_mismatch',
      'The secret is wrong, or the body was changed after signing.',
    );
  };

  return {
    verify: async (rawBody, signature) => (await verifySignature(rawBody, signature)).event(),
    verifySignature,
  };
}
