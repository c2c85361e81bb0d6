export type { WebhookVerificationErrorCode } from './errors.ts';
export { WebhookVerificationError } from './errors.ts';
export type { ReceivedEvent, UnknownEvent } from './event.ts';
export type * from './generated/events.ts';
export type { RawBody, Secrets, SignatureHeader } from './signature.ts';
export { createVerifier } from './verifier.node.ts';
export type { VerifiedBody, Verifier, VerifierOptions } from './verifier.ts';
