import type { AgeRule, ReceivedEvent } from './event.ts';
import type { RawBody, Secrets, SignatureHeader } from './signature.ts';

/** Options of `createVerifier`. */
export interface VerifierOptions extends AgeRule {
  /**
   * The accepted secrets, each at least 32 characters, tried in order. During a rotation, list the
   * new secret first and the previous one second.
   *
   * A function is called at the first delivery with a well-formed signature, so that a build without the
   * secrets succeeds. What it returns is checked then and used from then on. When it throws or returns an
   * invalid secret, the delivery is refused and the next one calls it again.
   *
   * @example
   * ```ts
   * createVerifier({ secrets: () => [process.env.WEBHOOK_SECRET ?? ''] });
   * ```
   */
  readonly secrets: Secrets;
}

/** A body with a right signature. */
export interface VerifiedBody {
  /** Index in `secrets` of the secret that matched. Above 0, the delivery used an older secret. */
  readonly secretIndex: number;
  /**
   * Parses the body. The bytes must not have been overwritten since the verification.
   *
   * @throws {@link WebhookVerificationError} `invalid_event` or `outside_max_age`
   */
  event(): ReceivedEvent;
}

/** Verifies deliveries, which the service signs with HMAC-SHA256 (RFC 2104) over the raw body. */
export interface Verifier {
  /**
   * Verifies a delivery and parses its event.
   *
   * @param rawBody the body exactly as received, before any body parser
   * @param signature the value of the `X-Service-Signature` header
   * @throws {@link WebhookVerificationError} and nothing else, as a rejection
   */
  verify(rawBody: RawBody, signature: SignatureHeader): Promise<ReceivedEvent>;

  /**
   * Verifies the signature only, of any bytes, and returns which secret matched. Parsing and the
   * check of `maxAge` happen in `event()`.
   *
   * @param rawBody the body exactly as received, before any body parser
   * @param signature the value of the `X-Service-Signature` header
   * @throws {@link WebhookVerificationError} and nothing else, as a rejection
   */
  verifySignature(rawBody: RawBody, signature: SignatureHeader): Promise<VerifiedBody>;

  /**
   * Does the same as {@link Verifier.verify}, synchronously, on Node, Bun and Deno.
   *
   * @throws {@link WebhookVerificationError} also `sync_unavailable` in the build for other runtimes
   */
  verifySync(rawBody: RawBody, signature: SignatureHeader): ReceivedEvent;

  /**
   * Does the same as {@link Verifier.verifySignature}, synchronously, on Node, Bun and Deno.
   *
   * @throws {@link WebhookVerificationError} also `sync_unavailable` in the build for other runtimes
   */
  verifySignatureSync(rawBody: RawBody, signature: SignatureHeader): VerifiedBody;
}
