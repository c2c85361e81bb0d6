/**
 * What a claim came to.
 *
 * - `claimed`: the event is the caller's to handle, now and for the length of the store's lease.
 * - `running`: somebody else has claimed it, and neither completed nor released it yet.
 * - `done`: it has been handled.
 */
export type Claim = 'claimed' | 'running' | 'done';

/**
 * Remembers which events have been handled, and which are being handled now, so that a repeated
 * event runs its handler once. Only ids of verified events reach it. Methods may return promises or
 * plain values.
 *
 * A store that several processes share makes once mean once for all of them. It has two times of its
 * own: the **lease**, after which a claim that was neither completed nor released (its process
 * crashed) is void and the event can be claimed anew, above the receiver's `deadline` and as long as
 * the slowest handler runs, 5 minutes being usual; and the **memory** of what is done, at least the
 * verifier's `maxAge`. A request that was captured could otherwise be handled again.
 */
export interface EventStore {
  /**
   * Claims an event, as one atomic step: of any number of concurrent calls, one is told `claimed`.
   *
   * @param id the event's `id`
   * @param token a random text that stands for this claim, to be remembered with it
   */
  claim(id: string, token: string): Claim | Promise<Claim>;

  /** Remembers an event as done, whoever has claimed it meanwhile. */
  complete(id: string): unknown;

  /**
   * Ends a claim whose handler failed, so that the next attempt claims the event anew. Does nothing
   * when the event is done, or its claim has another token: the lease was over, and somebody else is
   * at it.
   */
  release(id: string, token: string): unknown;
}
