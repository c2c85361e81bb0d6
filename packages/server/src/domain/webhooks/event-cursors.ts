import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { cursorExpired } from '../../generated/rules/periods.ts';
import { type Clock, loadedOnce } from '../../lib/clock.ts';
import type { CommitPosition, EventEnd } from '../../store/rows/webhooks/events.ts';
import type { Store } from '../../store/store.ts';
import { randomToken } from '../accounts/secrets.ts';
import { eventRetention } from '../events.ts';

// A cursor is `c1_` and base64url of AES Key Wrap (RFC 3394) over tx, number and its own time in epoch milliseconds, 8
// bytes each. It is encrypted because the numbers count the events of all accounts.

const prefix = 'c1_';
const cursorLength = prefix.length + 43;
const wrap = ['aes256-wrap', Buffer.alloc(8, 0xa6)] as const;

/** The name of the key in `server_secrets`. */
const keyName = 'event-cursors';

/**
 * Cursors of the events. Nothing about a cursor is stored. `restore` removes the key, so that no cursor of the replaced
 * database skips events of the restored one.
 */
export function createEventCursors({ store, clock }: { store: Store; clock: Clock }) {
  const secret = loadedOnce(() =>
    store.transaction((tx) => tx.signingKeys.secret(keyName, () => Buffer.from(randomToken()))),
  );
  const keyOf = async ({ database }: EventEnd) =>
    createHmac('sha256', await secret())
      .update(database)
      .digest();

  return {
    /**
     * Returns a cursor whose page begins after a position.
     *
     * @param readAt when all events before the position were read, and none after it. Default: now
     */
    async issue(
      { tx, number }: CommitPosition,
      end: EventEnd,
      readAt = clock.now(),
    ): Promise<string> {
      const cipher = createCipheriv(wrap[0], await keyOf(end), wrap[1]);
      const values = BigInt64Array.of(BigInt(tx), BigInt(number), BigInt(readAt));
      return prefix + Buffer.concat([cipher.update(values), cipher.final()]).toString('base64url');
    },

    /**
     * Returns the position of a cursor, and its time.
     *
     * @throws ServiceError VALIDATION_ERROR when events after it could be missing
     */
    async positionOf(
      cursor: string,
      end: EventEnd,
    ): Promise<CommitPosition & { readonly readAt: number }> {
      const [tx, number, readAt] = unwrap(cursor, await keyOf(end));
      const isAfterEnd = tx > end.tx || (tx === end.tx && number > end.number);
      if (isAfterEnd || readAt < clock.now() - eventRetention) throw cursorExpired();
      return { tx, number, readAt };
    },
  };
}

/** @throws ServiceError VALIDATION_ERROR for a cursor under another key, and for everything else */
function unwrap(cursor: string, key: Uint8Array): [tx: number, number: number, readAt: number] {
  if (!cursor.startsWith(prefix) || cursor.length !== cursorLength) throw cursorExpired();
  const decipher = createDecipheriv(wrap[0], key, wrap[1]);
  try {
    const bytes = decipher.update(cursor.slice(prefix.length), 'base64url');
    const at = (index: number) => Number(bytes.readBigInt64LE(8 * index));
    return [at(0), at(1), at(2)];
  } catch {
    throw cursorExpired();
  }
}
