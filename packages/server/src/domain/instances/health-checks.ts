import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/store.ts';
import type { Backlog } from '../webhooks/backlog.ts';
import type { Check } from './health.ts';

/** A write that is durable when it is answered. */
export function storeCheck(store: Store, clock: Clock): Check {
  return {
    name: 'store',
    failure: 'The store cannot be written to',
    async run() {
      await store.transaction((tx) => tx.health.probe(clock.now()));
      return undefined;
    },
  };
}

export interface DiskCheckOptions {
  /** Bytes that the disk under the data has free for this process. */
  readonly freeBytes: () => Promise<number>;
  /** Fewer than these are too few. */
  readonly minimumBytes: number;
}

export function diskCheck({ freeBytes, minimumBytes }: DiskCheckOptions): Check {
  return {
    name: 'disk',
    failure: 'The free space on the disk cannot be told',
    async run() {
      const free = await freeBytes();
      if (free >= minimumBytes) return undefined;
      return `The disk has ${free} bytes free; ${minimumBytes} are the minimum`;
    },
  };
}

export interface BacklogCheckOptions {
  readonly backlog: Backlog;
  readonly clock: Clock;
  /** How long a delivery may have been due, in milliseconds. */
  readonly longestWaitMs: number;
}

/**
 * Deliveries that the service is late with. One receiver that is slow holds up its own queue and
 * nothing else: that is no illness of the service, and nobody may make it look ill in this way.
 */
export function backlogCheck({ backlog, clock, longestWaitMs }: BacklogCheckOptions): Check {
  return {
    name: 'deliveries',
    failure: 'The queue of deliveries cannot be read',
    async run() {
      const now = clock.now();
      const since = await backlog.waitingSince(now);
      if (since === undefined || now - since <= longestWaitMs) return undefined;
      return `The oldest due delivery has waited for ${Math.floor((now - since) / 1000)} s`;
    },
  };
}
