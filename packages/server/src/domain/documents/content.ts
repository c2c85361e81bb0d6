import { ServiceError } from '../../generated/rules/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Contents, StoredSpan } from '../../store/contents/contents.ts';
import type { DocumentRecord } from '../../store/rows/documents/documents.ts';
import type { Store } from '../../store/store.ts';
import type { Auth } from '../accounts/auth.ts';
import type { Actor, Visitor } from '../actor.ts';
import { findDocument } from './documents.ts';
import type { ContentTickets } from './tickets.ts';
import { isContentError } from './uploads.ts';

/** A ciphertext that the caller may read. */
export interface ReadableContent {
  readonly sizeBytes: number;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
  /** SHA-256 of the ciphertext; undefined when it was sent in parts. */
  readonly sha256: Buffer | undefined;
  /**
   * Reads a range in small pieces, as fast as they are consumed.
   *
   * @throws ServiceError NOT_FOUND before the first piece, when the document was deleted meanwhile
   * @throws Error with the code `accessEndedCode` while the pieces are read
   */
  read(range: StoredSpan): Promise<AsyncIterable<Buffer>>;
}

/** Error code when the caller loses access to a content, or its document is deleted, while it is sent. */
export const accessEndedCode = 'CONTENT_ACCESS_ENDED';

/** Milliseconds after which access is checked again while a content is sent. */
const checkInterval = 5_000;

export type DocumentContents = ReturnType<typeof createDocumentContents>;

export function createDocumentContents(options: {
  readonly store: Store;
  readonly contents: Contents;
  readonly clock: Clock;
  readonly tickets: ContentTickets;
  readonly auth: Pick<Auth, 'requireLive'>;
}) {
  const { store, contents, clock, tickets, auth } = options;

  /** Returns the content of a document that the actor may see. */
  function ofDocument(actor: Actor, documentId: string): Promise<ReadableContent> {
    return readable(actor, () => findDocument(store, actor, documentId));
  }

  /**
   * Returns the content that a ticket names. The ticket of an `authenticated` share needs an account.
   *
   * @throws ServiceError NOT_FOUND when the ticket or its share is no longer valid; MISSING_AUTH
   */
  async function ofTicket(visitor: Visitor, ticket: string): Promise<ReadableContent> {
    const shareId = await tickets.shareOf(ticket);
    if (shareId === undefined) throw noContent();
    return readable(visitor, async () => {
      const share = await store.shares.findReadable({ id: shareId, now: clock.now() });
      if (!share) throw noContent();
      if (share.access === 'authenticated' && visitor.userId === null)
        throw new ServiceError('MISSING_AUTH');
      const document = await store.documents.find(share.documentId);
      if (!document) throw noContent();
      return document;
    });
  }

  /** @param find checks that the caller may read the document; called again while it is sent */
  async function readable(
    reader: Visitor | Actor,
    find: () => Promise<DocumentRecord>,
  ): Promise<ReadableContent> {
    const document = await find();
    const { sizeBytes, content } = document;
    const checkAgain = async () => {
      await find();
      await auth.requireLive(reader);
    };
    return {
      sizeBytes,
      etag: `"${content.digest.toString('base64url')}"`,
      sha256: content.partBytes === null ? content.digest : undefined,
      async read(range) {
        try {
          return whileAllowed(await contents.read(document, range), checkAgain);
        } catch (error) {
          throw isContentError(error, 'DOCUMENT_DELETED') ? noContent(error) : error;
        }
      },
    };
  }

  /** Passes the pieces on until the caller loses access. A download can take hours. */
  async function* whileAllowed(
    pieces: AsyncIterable<Buffer>,
    checkAgain: () => Promise<void>,
  ): AsyncGenerator<Buffer> {
    let checkedAt = clock.now();
    try {
      for await (const piece of pieces) {
        if (clock.now() - checkedAt >= checkInterval) {
          await checkAgain();
          checkedAt = clock.now();
        }
        yield piece;
      }
    } catch (error) {
      throw error instanceof ServiceError || isContentError(error, 'DOCUMENT_DELETED')
        ? endOfAccess(error)
        : error;
    }
  }

  return { ofDocument, ofTicket };
}

function endOfAccess(cause: Error): Error {
  const message = `a content was not sent to its end: ${cause.message}`;
  return Object.assign(new Error(message, { cause }), { code: accessEndedCode });
}

/** The same for every reason, so that a ticket does not reveal why it is not valid. */
function noContent(cause?: unknown): ServiceError {
  return new ServiceError('NOT_FOUND', { message: 'There is no such content.', cause });
}
