import type { RawBody } from './body.ts';
import type { AgeRule, ReceivedEvent } from './event.ts';
import type { SignatureHeader } from './signature.ts';

/** Options of `createVerifier`. */
export interface VerifierOptions extends AgeRule {
  /**
   * The secrets a delivery may be signed with, each at least 32 characters, tried in order. During
   * a rotation: the new one, then the previous one.
   */
  readonly secrets: readonly string[];
}

/** A body whose signature is right. */
export interface VerifiedBody {
  /** Position in `secrets` of the secret that matched: above 0 it was not the newest. */
  readonly secretIndex: number;
  /**
   * Parses the body, which must not have been overwritten since it was verified.
   *
   * @throws {@link WebhookVerificationError} `invalid_event` or `outside_max_age`
   */
  event(): ReceivedEvent;
}

/** Verifies deliveries signed by the rule of the service: HMAC-SHA256 (RFC 2104) of the raw body. */
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
   * Verifies the signature alone, of any bytes, and says which secret matched. Nothing is parsed
   * until `event()` is called, and `maxAge` is applied there.
   *
   * @param rawBody the body exactly as received, before any body parser
   * @param signature the value of the `X-Service-Signature` header
   * @throws {@link WebhookVerificationError} and nothing else, as a rejection
   */
  verifySignature(rawBody: RawBody, signature: SignatureHeader): Promise<VerifiedBody>;
}

/** A {@link Verifier} with synchronous twins; in the build for Node, Bun and Deno. */
export interface NodeVerifier extends Verifier {
  /** As {@link Verifier.verify}, synchronously; errors are thrown. */
  verifySync(rawBody: RawBody, signature: SignatureHeader): ReceivedEvent;
  /** As {@link Verifier.verifySignature}, synchronously; errors are thrown. */
  verifySignatureSync(rawBody: RawBody, signature: SignatureHeader): VerifiedBody;
}
