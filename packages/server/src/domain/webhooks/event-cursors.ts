import { createHmac, timingSafeEqual } from 'node:crypto';
import { cursorExpired } from '../../generated/rules/periods.ts';
import { type Clock, loadedOnce } from '../../lib/clock.ts';
import type { CommitPosition } from '../../store/rows/webhooks/events.ts';
import type { Store } from '../../store/store.ts';
import { randomToken } from '../accounts/secrets.ts';
import { eventRetention } from '../events.ts';

/** Where the events of a database end. */
export interface EventEnd extends CommitPosition {
  readonly database: string;
}

// A cursor is `c1_` and base64url of: tx (8 bytes), number (8), its own time (epoch milliseconds, 6), and the first 16
// bytes of HMAC-SHA256 of these and the name of the database.

const prefix = 'c1_';
const timeStart = 16;
const macStart = timeStart + 6;
const cursorLength = macStart + 16;

/** The name of the key in `server_secrets`. */
const keyName = 'event-cursors';

/**
 * Cursors of the events. Nothing about a cursor is stored. `restore` removes the key, so that no cursor of the replaced
 * database skips events of the restored one.
 */
export function createEventCursors({ store, clock }: { store: Store; clock: Clock }) {
  const key = loadedOnce(() =>
    store.transaction((tx) => tx.signingKeys.secret(keyName, () => Buffer.from(randomToken()))),
  );

  async function sign(claims: Uint8Array, database: string): Promise<Buffer> {
    const mac = createHmac('sha256', await key())
      .update(claims)
      .update(database);
    return mac.digest().subarray(0, cursorLength - macStart);
  }

  return {
    /** Returns a cursor whose page begins behind a position. */
    async issue({ tx, number }: CommitPosition, { database }: EventEnd): Promise<string> {
      const claims = Buffer.alloc(macStart);
      claims.writeBigInt64BE(BigInt(tx), 0);
      claims.writeBigInt64BE(BigInt(number), 8);
      claims.writeUIntBE(clock.now(), timeStart, macStart - timeStart);
      const signed = Buffer.concat([claims, await sign(claims, database)]);
      return prefix + signed.toString('base64url');
    },

    /**
     * Returns the position of a cursor.
     *
     * @throws ServiceError VALIDATION_ERROR when events behind it could be missing
     */
    async positionOf(cursor: string, end: EventEnd): Promise<CommitPosition> {
      const bytes = Buffer.from(cursor.slice(prefix.length), 'base64url');
      if (!cursor.startsWith(prefix) || bytes.length !== cursorLength) throw cursorExpired();
      const claims = bytes.subarray(0, macStart);
      if (!timingSafeEqual(bytes.subarray(macStart), await sign(claims, end.database))) {
        throw cursorExpired();
      }
      const position = {
        tx: Number(claims.readBigInt64BE(0)),
        number: Number(claims.readBigInt64BE(8)),
      };
      const issuedAt = claims.readUIntBE(timeStart, macStart - timeStart);
      const isBehindEnd =
        position.tx > end.tx || (position.tx === end.tx && position.number > end.number);
      if (isBehindEnd || issuedAt < clock.now() - eventRetention) throw cursorExpired();
      return position;
    },
  };
}
