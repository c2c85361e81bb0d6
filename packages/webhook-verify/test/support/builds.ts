import { vi } from 'vitest';
import {
  createVerifier,
  type HeaderSource,
  type RawBody,
  type ReceivedEvent,
  type Verifier,
  type VerifierOptions,
} from '../../src/index.ts';

export const secret = 'whsec_example_0123456789abcdefghijklmnop';
export const otherSecret = 'whsec_another_0123456789abcdefghijklmnop';

type CreateVerifier = (options: VerifierOptions) => Verifier;

/** The verifier on each cryptography. Both must agree on every input. */
export const builds: readonly (readonly [name: string, create: CreateVerifier])[] = [
  ['node:crypto', createVerifier],
  ['Web Crypto', (options) => onWebCrypto(() => createVerifier(options))],
];

/** Runs `work` as on a platform without `node:crypto`. */
export function onWebCrypto<Result>(work: () => Result): Result {
  const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  try {
    return work();
  } finally {
    spy.mockRestore();
  }
}

/** The comparable outcome of a verification. */
export type Outcome =
  | { readonly secretIndex: number; readonly event: ReceivedEvent }
  | { readonly name: string; readonly code: string; readonly message: string };

/** Verifies and parses. JavaScript callers may pass inputs of any type. */
export async function outcomeOf(
  verifier: Verifier,
  rawBody: unknown,
  headers: unknown,
): Promise<Outcome> {
  try {
    const verified = await verifier.verifyDetailed(rawBody as RawBody, headers as HeaderSource);
    return { secretIndex: verified.secretIndex, event: verified.event };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { name, message, code } = error as Error & { code: string };
    return { name, code, message };
  }
}

/** Whether the signature of a body is right, also when the body is not an event. */
export async function hasRightSignature(
  verifier: Verifier,
  rawBody: unknown,
  headers: unknown,
): Promise<boolean> {
  const outcome = await outcomeOf(verifier, rawBody, headers);
  if ('event' in outcome || outcome.code === 'invalid_event') return true;
  if (outcome.code === 'signature_mismatch') return false;
  throw new Error(outcome.message);
}

/** Returns the outcome on all cryptography, and throws when it differs. */
export async function sharedOutcome(
  options: VerifierOptions,
  rawBody: unknown,
  headers: unknown,
): Promise<Outcome> {
  const outcomes = await Promise.all(
    builds.map(([, create]) => outcomeOf(create(options), rawBody, headers)),
  );
  const [first] = outcomes;
  for (const [index, outcome] of outcomes.entries()) {
    if (JSON.stringify(outcome) !== JSON.stringify(first)) {
      throw new Error(
        `${builds[index]?.[0]} disagrees: ${JSON.stringify(outcome)} and ${JSON.stringify(first)}`,
      );
    }
  }
  if (first === undefined) throw new Error('there are no builds');
  return first;
}
