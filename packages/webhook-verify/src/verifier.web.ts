import { WebhookVerificationError } from './errors.ts';
import { createParser } from './event.ts';
import { createMatches } from './hmac.web.ts';
import { bytesOf, keysOf, signatureDigits } from './signature.ts';
import type { Verifier, VerifierOptions } from './verifier.ts';

/**
 * Creates a verifier on Web Crypto, which imports each secret once.
 *
 * @throws {@link WebhookVerificationError} `secret_too_short` (also for a missing secret),
 * `secret_whitespace` or `invalid_max_age`. A function `secrets` is called and checked at the first delivery.
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const all = keysOf(options.secrets, (secret) =>
    createMatches(bytesOf(secret) as Uint8Array<ArrayBuffer>),
  );
  const parse = createParser(options);

  const verifySignature: Verifier['verifySignature'] = async (rawBody, signature) => {
    // A copy: the caller may change its bytes during the await, and Web Crypto refuses shared memory.
    const bytes = bytesOf(rawBody).slice();
    const expected = Uint8Array.from(signatureDigits(signature).match(/../g) as string[], (pair) =>
      Number(`0x${pair}`),
    );
    let secretIndex = 0;
    for (const matches of all()) {
      if (await matches(expected, bytes)) {
        return { secretIndex, event: () => parse(new TextDecoder().decode(bytes)) };
      }
      secretIndex += 1;
    }
    throw new WebhookVerificationError(
      'signature_mismatch',
      'The secret is wrong, or the body was changed.',
    );
  };

  // TypeScript reads one declaration for both builds, because some of its resolutions know no runtime.
  const refuseSync = () => {
    const message = 'Web Crypto is asynchronous: await verify() or verifySignature().';
    throw new WebhookVerificationError('sync_unavailable', message);
  };

  return {
    verify: async (rawBody, signature) => (await verifySignature(rawBody, signature)).event(),
    verifySignature,
    verifySync: refuseSync,
    verifySignatureSync: refuseSync,
  };
}
