import { createVerifier as createNodeVerifier } from '../../src/index.node.ts';
import {
  createVerifier as createWebVerifier,
  type RawBody,
  type ReceivedEvent,
  type SignatureHeader,
  type Verifier,
} from '../../src/index.ts';
import type { VerifierOptions } from '../../src/verifier.ts';

export const secret = 'whsec_example_0123456789abcdefghijklmnop';
export const otherSecret = 'whsec_another_0123456789abcdefghijklmnop';

/** Every build of the verifier. All must agree on every input. */
export const builds: readonly (readonly [name: string, create: CreateVerifier])[] = [
  ['Web Crypto', createWebVerifier],
  ['Node', createNodeVerifier],
  ['Node, synchronous', createSyncVerifier],
];

type CreateVerifier = (options: VerifierOptions) => Verifier;

function createSyncVerifier(options: VerifierOptions): Verifier {
  const verifier = createNodeVerifier(options);
  const { verifySync, verifySignatureSync } = verifier;
  return {
    ...verifier,
    verify: async (rawBody, signature) => verifySync(rawBody, signature),
    verifySignature: async (rawBody, signature) => verifySignatureSync(rawBody, signature),
  };
}

/** The comparable outcome of a verification. */
export type Outcome =
  | { readonly secretIndex: number; readonly event: ReceivedEvent }
  | { readonly name: string; readonly code: string; readonly message: string };

/** Verifies and parses. JavaScript callers may pass inputs of any type. */
export async function outcomeOf(
  verifier: Verifier,
  rawBody: unknown,
  signature: unknown,
): Promise<Outcome> {
  try {
    const body = await verifier.verifySignature(rawBody as RawBody, signature as SignatureHeader);
    return { secretIndex: body.secretIndex, event: body.event() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { name, message, code } = error as Error & { code: string };
    return { name, code, message };
  }
}

/** Returns the outcome of all builds, and throws when they differ. */
export async function sharedOutcome(
  options: VerifierOptions,
  rawBody: unknown,
  signature: unknown,
): Promise<Outcome> {
  const outcomes = await Promise.all(
    builds.map(([, create]) => outcomeOf(create(options), rawBody, signature)),
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
