import type { Actor } from '../domain/actor.ts';
import { type Idempotency, ReplayedError } from '../domain/idempotency.ts';
import type { Caller } from './services.ts';

/** An Idempotency-Key with the request that it was sent with. */
export interface IdempotencyKey {
  readonly key: string;
  /** SHA-256 of the request body. */
  readonly bodyDigest: Uint8Array;
}

/** Where the stored outcomes of changes are found. */
const path = '/graphql';

/** Makes the changes of one mutation, in the order of its fields. */
export class Changes {
  readonly #actor: Caller;
  readonly #idempotency: Idempotency;
  readonly #key: IdempotencyKey | undefined;
  #made = 0;
  #replayed = false;

  constructor(actor: Caller, idempotency: Idempotency, key: IdempotencyKey | undefined) {
    this.#actor = actor;
    this.#idempotency = idempotency;
    this.#key = key;
  }

  /** Whether a change was not made, because an earlier request with the same key had made it. */
  get replayed(): boolean {
    return this.#replayed;
  }

  /**
   * Makes the next change, at most once per Idempotency-Key: a mutation of several changes that broke
   * off goes on where it was when it is sent again.
   */
  async make(change: (actor: Actor) => Promise<unknown>): Promise<unknown> {
    const position = this.#made;
    this.#made += 1;
    if (!this.#key) return change(this.#actor);
    try {
      const { result, replayed } = await this.#idempotency.run(
        {
          ...this.#key,
          userId: this.#actor.userId,
          method: 'POST',
          path: position === 0 ? path : `${path}#${position}`,
          successStatus: 200,
        },
        (settle) => change({ ...this.#actor, settle }),
      );
      this.#replayed ||= replayed;
      return result;
    } catch (error) {
      this.#replayed ||= error instanceof ReplayedError;
      throw error;
    }
  }
}
