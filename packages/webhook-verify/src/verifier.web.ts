import { bytesOf } from './body.ts';
import { WebhookVerificationError } from './errors.ts';
import { createParser } from './event.ts';
import { createMatches } from './hmac.web.ts';
import { checkSecrets } from './secrets.ts';
import { signatureDigits } from './signature.ts';
import type { Verifier, VerifierOptions } from './verifier.ts';

/**
 * Makes a verifier on Web Crypto. Each secret is imported once, here.
 *
 * @throws {@link WebhookVerificationError} when there is no secret, or one is missing, shorter than
 * 32 characters or surrounded by white space, or `maxAge` is not above 0
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const all = checkSecrets(options.secrets).map((secret) => createMatches(bytesOf(secret).slice()));
  const parse = createParser(options);

  const verifySignature: Verifier['verifySignature'] = async (rawBody, signature) => {
    // The copy cannot change while Web Crypto works, and is of memory that Web Crypto accepts.
    const bytes = bytesOf(rawBody).slice();
    const expected = Uint8Array.from(signatureDigits(signature).match(/../g) as string[], (pair) =>
      Number(`0x${pair}`),
    );
    let secretIndex = 0;
    for (const matches of all) {
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

  return {
    verify: async (rawBody, signature) => (await verifySignature(rawBody, signature)).event(),
    verifySignature,
  };
}
