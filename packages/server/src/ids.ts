import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from './clock.ts';

/** The source of identifiers; they sort by the time they were made. */
export interface Ids {
  /** A UUIDv7 (RFC 9562, section 5.7), for stored resources. */
  resource(): string;
  /** `evt_`, `dlv_`, `key_` or `req_`, followed by the 32 hexadecimal digits of a UUIDv7. */
  prefixed(prefix: 'evt' | 'dlv' | 'key' | 'req'): string;
}

/** Ids of one process: within a millisecond they count upwards, so that the order of creation is kept. */
export function createIds(clock: Clock): Ids {
  let lastTime = 0;
  let sequence = 0;

  const next = () => {
    const now = Math.max(clock.now(), lastTime);
    sequence = now === lastTime ? sequence + 1 : randomBytes(4).readUInt32BE() >>> 1;
    lastTime = now;
    return v7({ msecs: now, seq: sequence });
  };

  return {
    resource: next,
    prefixed: (prefix) => `${prefix}_${next().replaceAll('-', '')}`,
  };
}
