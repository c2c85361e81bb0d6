import { createHash } from 'node:crypto';
import {
  ContentError,
  type ContentOfParts,
  notPending,
  type StoredContent,
  type StoredPart,
} from '../../contents/content.ts';
import type { Queries } from '../../driver.ts';
import { isKept } from '../../lists/counts.ts';

/** Bytes per row. The migration says why. */
export const pieceBytes = 128 * 1024;

/** Bytes that one transaction writes: some milliseconds. */
export const stepBytes = 2 * 1024 * 1024;

/** Rows that one transaction erases: 8 MiB. */
const maxErasedPieces = (8 * 1024 * 1024) / pieceBytes;

/** Rows of `content_parts` that one transaction erases. */
const maxErasedParts = 1000;

/** A content of one request that is stored before its document. */
export interface StagedContent {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Offset in bytes of the first piece to store. */
  readonly from: number;
  /** The sweeper erases the content if it has no document by then. Epoch milliseconds. */
  readonly until: number;
}

/** A content that counts against an account until it is erased. */
export interface HeldContent {
  readonly userId: string;
  readonly bytes: number;
}

/** An attempt to store a part. */
export interface PartAttempt {
  readonly attempt: number;
  readonly id: string;
  readonly part: number;
}

function contentExists(id: string): ContentError {
  return new ContentError('CONTENT_EXISTS', `there is a content of document ${id}`);
}

/**
 * Verifies that all parts are stored.
 *
 * @throws ContentError PARTS_MISSING
 */
export function requireParts(content: ContentOfParts, parts: readonly StoredPart[]): void {
  const { id, sizeBytes, partBytes } = content;
  const lengths = new Map(parts.map(({ part, bytes }) => [part, bytes]));
  const missing: number[] = [];
  for (let part = 0; part * partBytes < sizeBytes && missing.length < 100; part += 1) {
    const expected = Math.min(partBytes, sizeBytes - part * partBytes);
    if (lengths.get(part) !== expected) missing.push(part);
  }
  if (missing.length === 0) return;
  throw new ContentError('PARTS_MISSING', `the content of document ${id} lacks parts`, {
    parts: missing,
  });
}

/** Returns what the row of a document says about a content of parts. */
export function contentOfParts(
  store: StoredContent['store'],
  { partBytes }: ContentOfParts,
  parts: readonly StoredPart[],
): StoredContent {
  const hash = createHash('sha256');
  for (const { sha256 } of parts) hash.update(sha256);
  return { store, digest: hash.digest(), partBytes };
}

/** The rows of contents in the database. */
export function contentRepository(queries: Queries) {
  async function insertPieces(
    id: string,
    attempt: number,
    pieces: Iterable<readonly [number, Uint8Array]>,
  ): Promise<void> {
    for (const [piece, data] of pieces) {
      await queries.run(
        `INSERT INTO document_contents (document_id, attempt, piece, data)
         VALUES (@id, @attempt, @piece, @data)`,
        { id, attempt, piece, data },
      );
    }
  }

  /**
   * Removes the pending row: from now on the content belongs to its document.
   *
   * @throws ContentError CONTENT_NOT_PENDING
   */
  async function removePending(id: string): Promise<void> {
    const removed = await queries.run('DELETE FROM content_erasures WHERE document_id = @id', {
      id,
    });
    if (removed === 0) throw notPending(id);
  }

  /**
   * Opens a content for its parts. The sweeper erases it at `until` (epoch milliseconds).
   *
   * @throws ContentError CONTENT_EXISTS: the id can come from a client, so another request or document may have it
   */
  async function open(id: string, until: number): Promise<void> {
    const opened = await queries.run(
      `INSERT INTO content_erasures (document_id, due_at)
       SELECT @id, @until WHERE NOT EXISTS (SELECT 1 FROM documents WHERE id = @id)
       ON CONFLICT (document_id) DO NOTHING`,
      { id, until },
    );
    if (opened === 0) throw contentExists(id);
  }

  async function prolong(id: string, until: number): Promise<void> {
    const sql =
      'UPDATE content_erasures SET due_at = @until WHERE document_id = @id AND due_at > 0';
    if ((await queries.run(sql, { id, until })) === 0) throw notPending(id);
  }

  async function requirePending(id: string, now: number): Promise<void> {
    // An update instead of a read, so that the row is locked where several processes write.
    const pending = await queries.run(
      'UPDATE content_erasures SET due_at = due_at WHERE document_id = @id AND due_at > @now',
      { id, now },
    );
    if (pending === 0) throw notPending(id);
  }

  async function removeAttempt(id: string, attempt: number): Promise<void> {
    await queries.run(
      'DELETE FROM document_contents WHERE document_id = @id AND attempt = @attempt',
      { id, attempt },
    );
    await queries.run('DELETE FROM content_parts WHERE number = @attempt', { attempt });
  }

  /** Returns the attempt that counts for a part of a content. */
  async function attemptOf(id: string, part: number): Promise<number | undefined> {
    const row = await queries.get<{ number: number }>(
      `SELECT number FROM content_parts
       WHERE document_id = @id AND part = @part AND digest IS NOT NULL`,
      { id, part },
    );
    return row?.number;
  }

  /** Returns the parts that count, in their order. */
  async function parts(id: string): Promise<StoredPart[]> {
    return queries.all<StoredPart>(
      `SELECT part, size_bytes AS "bytes", digest AS "sha256" FROM content_parts
       WHERE document_id = @id AND digest IS NOT NULL ORDER BY part`,
      { id },
    );
  }

  return {
    /**
     * Stores the whole content of a document.
     *
     * @throws ContentError CONTENT_EXISTS: the sweeper would erase it together with the other one
     */
    async insert(id: string, bytes: Uint8Array) {
      const sql = 'SELECT 1 FROM content_erasures WHERE document_id = @id';
      if (await queries.get(sql, { id })) throw contentExists(id);
      await insertPieces(id, 0, piecesOf(bytes, 0));
    },

    /**
     * Stores the next 2 MiB of a content whose document is inserted later.
     *
     * @returns the offset of the next step, in bytes
     * @throws ContentError CONTENT_EXISTS; CONTENT_NOT_PENDING when a sweep has erased the first steps
     */
    async stage({ id, bytes, from, until }: StagedContent) {
      const to = Math.min(from + stepBytes, bytes.length);
      if (from === 0) await open(id, until);
      else await prolong(id, until);
      await insertPieces(id, 0, piecesOf(bytes.subarray(from, to), from));
      return to;
    },

    /**
     * Makes a staged content the content of its document.
     *
     * @throws ContentError CONTENT_NOT_PENDING when a sweep has erased a piece of it
     */
    async takeStaged(id: string, sizeBytes: number) {
      await removePending(id);
      // A sweep may have erased the first pieces before the last ones were staged.
      const found = await queries.get<{ pieces: number }>(
        `SELECT COUNT(*) AS "pieces" FROM document_contents
         WHERE document_id = @id AND attempt = 0`,
        { id },
      );
      if (found?.pieces !== Math.ceil(sizeBytes / pieceBytes)) throw notPending(id);
    },

    open,

    /**
     * Begins an attempt to store a part.
     *
     * @throws ContentError CONTENT_NOT_PENDING
     */
    async beginPart(begun: { id: string; part: number; sizeBytes: number; now: number }) {
      const { id, part, now } = begun;
      await requirePending(id, now);
      const attempt = await queries.insert(
        `INSERT INTO content_parts (document_id, part, size_bytes, written_at)
         VALUES (@id, @part, @sizeBytes, @now)`,
        begun,
      );
      return { attempt, id, part };
    },

    /**
     * Stores the next bytes of an attempt in pieces of 128 KiB.
     *
     * @param bytes whole pieces, except at the end of the part
     * @param position `from`: their offset in the part
     * @throws ContentError CONTENT_NOT_PENDING
     */
    async appendPieces(
      { attempt, id }: PartAttempt,
      bytes: Uint8Array,
      { from, now }: { readonly from: number; readonly now: number },
    ) {
      // Rows of an attempt that a sweep has erased would stay for ever.
      const exists = await queries.run(
        'UPDATE content_parts SET written_at = @now WHERE number = @attempt',
        { attempt, now },
      );
      if (exists === 0) throw notPending(id);
      await insertPieces(id, attempt, piecesOf(bytes, from));
    },

    /**
     * Finds whether a part of this number counts already, and keeps others from changing that until the
     * transaction ends.
     *
     * @throws ContentError CONTENT_NOT_PENDING
     */
    async lockPart({ id, part }: Pick<PartAttempt, 'id' | 'part'>, now: number) {
      await requirePending(id, now);
      return { isFirst: (await attemptOf(id, part)) === undefined };
    },

    /** Makes an attempt count in the place of earlier ones, after `lockPart`. */
    async acceptPart({ attempt, id, part }: PartAttempt, digest: Uint8Array) {
      const earlier = await attemptOf(id, part);
      if (earlier !== undefined) await removeAttempt(id, earlier);
      const accepted = await queries.run(
        'UPDATE content_parts SET digest = @digest WHERE number = @attempt',
        { attempt, digest },
      );
      if (accepted === 0) throw notPending(id);
    },

    /** Erases an attempt that does not count. */
    async dropPart({ attempt, id }: PartAttempt) {
      await removeAttempt(id, attempt);
    },

    parts,
    removePending,

    /**
     * Makes a content of parts the content of its document.
     *
     * @throws ContentError CONTENT_NOT_PENDING, PARTS_MISSING
     */
    async takeParts(content: ContentOfParts) {
      await removePending(content.id);
      const stored = await parts(content.id);
      requireParts(content, stored);
      if (content.sizeBytes === 0) await insertPieces(content.id, 0, piecesOf(new Uint8Array(), 0));
      return contentOfParts('database', content, stored);
    },

    /**
     * Lets the next sweep erase a pending content. Until then its bytes count against the account.
     *
     * @param held default: the parts of an upload, which count since their upload was deleted
     */
    async discard(id: string, held?: HeldContent) {
      if (!held) {
        await queries.run('UPDATE content_erasures SET due_at = 0 WHERE document_id = @id', { id });
        return;
      }
      await queries.run(
        `UPDATE content_erasures SET due_at = 0, user_id = @userId, held_bytes = @bytes
         WHERE document_id = @id`,
        { id, ...held },
      );
    },

    attemptOf,

    /** Returns a piece of an existing document. Attempt 0 is a content of one request. */
    async piece(place: { id: string; attempt: number; piece: number }) {
      const row = await queries.get<{ data: Buffer }>(
        `SELECT data FROM document_contents
         WHERE document_id = @id AND attempt = @attempt AND piece = @piece
           AND EXISTS (SELECT 1 FROM documents WHERE id = @id AND ${isKept('vault_id')})`,
        place,
      );
      return row?.data;
    },

    /**
     * Erases at most `limit` pieces of contents without a document, and at most 8 MiB. Objects become due:
     * those of deleted documents after `grace` milliseconds, others at once.
     *
     * @returns whether there may be more
     */
    async erase({ now, limit: requested, grace }: { now: number; limit: number; grace: number }) {
      const limit = Math.min(requested, maxErasedPieces);
      // CROSS JOIN fixes the order of the join: SQLite would choose to read the whole table of contents.
      const due = await queries.all<{ id: string }>(
        `SELECT document_id AS id FROM content_erasures
         WHERE due_at <= @now ORDER BY number LIMIT @limit ${queries.dialect.lockFree()}`,
        { now, limit },
      );
      if (due.length === 0) return false;
      const ids = JSON.stringify(due.map(({ id }) => id));
      const oldest = `(SELECT value AS document_id FROM (${queries.dialect.elements('ids')}) v) page`;
      await queries.run(
        `UPDATE content_objects
         SET due_at = @now + CASE state WHEN 'taken' THEN CAST(@grace AS BIGINT) ELSE 0 END
         WHERE due_at IS NULL AND ${queries.dialect.among('document_id', 'ids')}`,
        { ids, now, grace },
      );
      const erased = await queries.run(
        `DELETE FROM document_contents WHERE (document_id, attempt, piece) IN (
           SELECT c.document_id, c.attempt, c.piece FROM ${oldest} CROSS JOIN document_contents c
           WHERE c.document_id = page.document_id
           LIMIT @limit
         )`,
        { ids, limit },
      );
      const parts = await queries.run(
        `DELETE FROM content_parts WHERE number IN (
           SELECT p.number FROM ${oldest} CROSS JOIN content_parts p
           WHERE p.document_id = page.document_id AND NOT EXISTS (
             SELECT 1 FROM document_contents c WHERE c.document_id = page.document_id
           )
           LIMIT ${maxErasedParts}
         )`,
        { ids },
      );
      const done = await queries.run(
        `DELETE FROM content_erasures WHERE document_id IN (
           SELECT document_id FROM ${oldest} WHERE NOT EXISTS (
             SELECT 1 FROM document_contents c WHERE c.document_id = page.document_id
           ) AND NOT EXISTS (
             SELECT 1 FROM content_parts p WHERE p.document_id = page.document_id
           )
         )`,
        { ids },
      );
      return erased >= limit || parts >= maxErasedParts || done >= limit;
    },

    /**
     * Erases an attempt that no process has continued since `before`, in steps of at most 8 MiB.
     *
     * @returns whether there may be more
     */
    async eraseUnfinished(before: number) {
      const oldest = await queries.get<{ attempt: number; id: string }>(
        `SELECT number AS "attempt", document_id AS "id" FROM content_parts
         WHERE digest IS NULL AND written_at <= @before ORDER BY written_at, number LIMIT 1
         ${queries.dialect.lockFree()}`,
        { before },
      );
      if (!oldest) return false;
      const erased = await queries.run(
        `DELETE FROM document_contents
         WHERE document_id = @id AND attempt = @attempt AND piece IN (
           SELECT piece FROM document_contents WHERE document_id = @id AND attempt = @attempt
           ORDER BY piece LIMIT ${maxErasedPieces}
         )`,
        oldest,
      );
      if (erased < maxErasedPieces) await removeAttempt(oldest.id, oldest.attempt);
      return true;
    },
  };
}

/**
 * An empty content has one piece too, which distinguishes it from a missing one.
 *
 * @param from the offset of the bytes in their content or part
 */
function* piecesOf(bytes: Uint8Array, from: number): Generator<readonly [number, Uint8Array]> {
  for (let at = 0; at === 0 || at < bytes.length; at += pieceBytes) {
    yield [(from + at) / pieceBytes, bytes.subarray(at, at + pieceBytes)];
  }
}
