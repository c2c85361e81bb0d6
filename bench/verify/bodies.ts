/** The bodies that are verified: events of an exact size. */
import { eventId } from './secret.ts';

export interface SampleBody {
  readonly title: string;
  readonly text: string;
}

/** A `vault.created` event of so many bytes of UTF-8, most of them its description. */
function eventOf(size: number, filler: string): string {
  // The verifier refuses events that are older than 31 days.
  const at = new Date().toISOString();
  const event = (description: string): string =>
    JSON.stringify({
      id: eventId,
      type: 'vault.created',
      timestamp: at,
      apiVersion: 'v1',
      data: {
        object: {
          id: '019cadd6-a210-7670-891a-985ccc8c71a2',
          name: 'Taxes',
          description,
          category: 'personal',
          userId: '019cadd4-5698-781e-b05b-ef3e60cf1f3b',
          instanceId: '019b8d2b-8c00-7db1-baa7-76cb5c5c64ab',
          isActive: true,
          documentCount: 0,
          totalSize: 0,
          createdAt: at,
          updatedAt: at,
        },
      },
    });
  const room = size - Buffer.byteLength(event(''));
  const repeated = filler.repeat(Math.floor(room / Buffer.byteLength(filler)));
  return event(repeated + '.'.repeat(room - Buffer.byteLength(repeated)));
}

export const bodies: readonly SampleBody[] = [
  { title: '1 KiB', text: eventOf(1024, 'Receipts and statements. ') },
  { title: '64 KiB ASCII', text: eventOf(65_536, 'Receipts and statements. ') },
  { title: '64 KiB non-ASCII', text: eventOf(65_536, 'Belege für März, 金庫 🗄. ') },
];
