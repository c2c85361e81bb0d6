import type { Clock } from '../../lib/clock.ts';
import type { IncomingBody } from './incoming-body.ts';

/** Milliseconds between two checks of the bodies. */
const intervalMs = 1_000;

export interface DataRateOptions {
  readonly clock: Clock;
  /** Bytes per second; 0 allows any rate. */
  readonly minDataRate: number;
  /** Milliseconds that a body may stay below the rate. */
  readonly dataRateGrace: number;
}

interface Progress {
  /** Bytes at the last check. */
  received: number;
  /** Milliseconds below the rate that are left. */
  grace: number;
}

/**
 * Ends connections whose bodies arrive too slowly.
 *
 * A body below the minimum rate uses up its grace, and a body above it earns grace back. The grace has a
 * maximum: a fast beginning must not pay for a connection that is held afterwards. Time is counted in
 * checks and not read from the clock, so that neither a changed clock nor a busy server ends a connection.
 */
export function createDataRate({ clock, minDataRate, dataRateGrace }: DataRateOptions) {
  const watched = new Map<IncomingBody, Progress>();
  let isLooking = false;

  function lookLater(): void {
    isLooking = watched.size > 0;
    if (isLooking) clock.at(clock.now() + intervalMs, look);
  }

  function look(): void {
    for (const [body, progress] of watched) {
      if (body.isOver) watched.delete(body);
      else if (body.isAwaited && !advance(body, progress)) {
        watched.delete(body);
        body.abort();
      }
    }
    lookLater();
  }

  /** Returns false when the grace is used up. */
  function advance({ received }: IncomingBody, progress: Progress): boolean {
    const earned = ((received - progress.received) / minDataRate) * 1000;
    progress.received = received;
    progress.grace = Math.min(dataRateGrace, progress.grace - intervalMs + earned);
    return progress.grace >= 0;
  }

  return {
    /** Checks the rate of a body from now until it has arrived. */
    watch(body: IncomingBody): void {
      if (minDataRate === 0 || watched.has(body)) return;
      watched.set(body, { received: body.received, grace: dataRateGrace });
      if (!isLooking) lookLater();
    },
  };
}
