import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, loadedOnce } from '../../lib/clock.ts';
import type { Store } from '../../store/store.ts';
import { randomToken } from '../accounts/secrets.ts';

export type ContentTickets = ReturnType<typeof createContentTickets>;

/** Milliseconds. A download of 10 GiB must be able to go on, also when it was interrupted. */
export const ticketLifetime = 24 * 60 * 60 * 1000;

// A ticket is base64url of: share id (16 bytes), end (epoch milliseconds, 6 bytes), HMAC-SHA256 of both (32).
// A share never changes its document, and a document never changes its content.

const idLength = 16;
const macStart = idLength + 6;
const ticketLength = macStart + 32;

/** The name of the key in `server_secrets`. */
const keyName = 'content-tickets';

/**
 * Tickets allow reading the content of an opened share without opening it again. Nothing about a ticket is stored: it
 * is verified by its signature, and its share by the caller.
 */
export function createContentTickets(store: Store, clock: Clock) {
  /** The key is sealed under the master key. Rotating that one does not change it. */
  const key = loadedOnce(() =>
    store.transaction((tx) => tx.signingKeys.secret(keyName, () => Buffer.from(randomToken()))),
  );

  return {
    /** Returns a ticket for the content of a share. It is valid for 24 hours. */
    async issue(shareId: string): Promise<string> {
      const claims = Buffer.alloc(macStart);
      claims.write(shareId.replaceAll('-', ''), 'hex');
      claims.writeUIntBE(clock.now() + ticketLifetime, idLength, macStart - idLength);
      return Buffer.concat([claims, sign(claims, await key())]).toString('base64url');
    },

    /** Returns the share of a ticket; undefined when the ticket is forged, altered or has expired. */
    async shareOf(ticket: string): Promise<string | undefined> {
      const bytes = Buffer.from(ticket, 'base64url');
      // Another spelling of the same bytes is another ticket.
      if (bytes.length !== ticketLength || bytes.toString('base64url') !== ticket) return undefined;
      const claims = bytes.subarray(0, macStart);
      if (!timingSafeEqual(bytes.subarray(macStart), sign(claims, await key()))) return undefined;
      const endsAt = claims.readUIntBE(idLength, macStart - idLength);
      return endsAt > clock.now() ? uuidOf(claims.subarray(0, idLength)) : undefined;
    },
  };
}

function sign(claims: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(claims).digest();
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
