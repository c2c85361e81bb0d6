import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from './clock.ts';

/** The source of ids. They sort by the time of their creation. */
export interface Ids {
  /** A UUIDv7 (RFC 9562, section 5.7), for stored resources. */
  resource(): string;
  /** `evt_`, `dlv_`, `key_` or `req_`, followed by the 32 hexadecimal digits of a UUIDv7. */
  prefixed(prefix: 'evt' | 'dlv' | 'key' | 'req'): string;
}

/** Returns the time in a prefixed id, in epoch milliseconds. */
export function timeOf(prefixedId: string): number {
  return Number.parseInt(prefixedId.split('_')[1]?.slice(0, timeDigits) ?? '', 16);
}

/** Returns the least id that can be created at a time, in epoch milliseconds. For ranges of ids. */
export function leastIdAt(prefix: 'evt', time: number): string {
  return `${prefix}_${Math.max(0, time).toString(16).padStart(timeDigits, '0')}`;
}

/** Hexadecimal digits of the time that a UUIDv7 starts with. */
const timeDigits = 12;

/** Random bytes of one id. */
const length = 16;

/** Creates the ids of one process. Ids of the same millisecond count upwards, so that they sort too. */
export function createIds(clock: Clock): Ids {
  const random = createRandomSource();
  const bytes = Buffer.alloc(length);
  let lastTime = 0;
  let sequence = 0;

  const next = () => {
    const now = Math.max(clock.now(), lastTime);
    const chance = random();
    sequence = now === lastTime ? sequence + 1 : chance.readUInt32BE() >>> 1;
    lastTime = now;
    return { msecs: now, seq: sequence, random: chance };
  };

  return {
    resource: () => v7(next()),
    prefixed: (prefix) => `${prefix}_${v7(next(), bytes).toString('hex')}`,
  };
}

/** Returns the random bytes of one id, drawn for 512 ids at once: a draw takes longer than the rest of an id. */
function createRandomSource(): () => Buffer {
  const pool = Buffer.alloc(length * 512);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
}
