import { notPending, type StoredPart } from '../../contents/content.ts';
import type { Queries } from '../../driver.ts';
import { isKept } from '../../lists/counts.ts';

/** The object of a content. */
export interface ContentObject {
  /** Without the prefix. */
  readonly key: string;
  readonly documentId: string;
  /** Its multipart upload; null before the first part, and for a content of one request. */
  readonly uploadId: string | null;
  readonly state: 'open' | 'complete' | 'taken' | 'aborted';
}

/** A stored part with its tag in the object store. */
export interface TaggedPart extends StoredPart {
  readonly etag: string;
}

const columns = `object_key AS "key", document_id AS "documentId", upload_id AS "uploadId", state`;

/** The rows of contents in the object store. No object is stored before its row is committed. */
export function contentObjectRepository(queries: Queries) {
  return {
    async insert({ key, documentId }: Pick<ContentObject, 'key' | 'documentId'>) {
      await queries.run(
        `INSERT INTO content_objects (object_key, document_id, state)
         VALUES (@key, @documentId, 'open')`,
        { key, documentId },
      );
    },

    /** Returns the object of a content that waits for its document. */
    findPending(documentId: string, now: number) {
      return queries.get<ContentObject>(
        `SELECT ${columns} FROM content_objects
         WHERE document_id = @documentId AND due_at IS NULL AND state IN ('open', 'complete')
           AND EXISTS (SELECT 1 FROM content_erasures WHERE document_id = @documentId AND due_at > @now)`,
        { documentId, now },
      );
    },

    /** Returns the key of an existing document's object. */
    async keyOf(id: string) {
      const row = await queries.get<{ key: string }>(
        `SELECT object_key AS "key" FROM content_objects
         WHERE document_id = @id AND due_at IS NULL AND state = 'taken'
           AND EXISTS (SELECT 1 FROM documents WHERE id = @id AND ${isKept('vault_id')})`,
        { id },
      );
      return row?.key;
    },

    /** Stores the multipart upload of an object. Returns false when it has one already. */
    async setUpload(key: string, uploadId: string) {
      const set = await queries.run(
        `UPDATE content_objects SET upload_id = @uploadId
         WHERE object_key = @key AND upload_id IS NULL AND due_at IS NULL`,
        { key, uploadId },
      );
      return set > 0;
    },

    /** Notes that the object is whole. */
    async complete(key: string) {
      await queries.run(
        `UPDATE content_objects SET state = 'complete'
         WHERE object_key = @key AND state = 'open' AND due_at IS NULL`,
        { key },
      );
    },

    /**
     * Makes a whole object the content of its document.
     *
     * @throws ContentError CONTENT_NOT_PENDING
     */
    async take(documentId: string) {
      const taken = await queries.run(
        `UPDATE content_objects SET state = 'taken'
         WHERE document_id = @documentId AND state = 'complete' AND due_at IS NULL`,
        { documentId },
      );
      if (taken === 0) throw notPending(documentId);
    },

    /**
     * Stores a part of an open object in the place of an earlier one.
     *
     * @throws ContentError CONTENT_NOT_PENDING when the object is not open
     */
    async putPart(
      { key, documentId }: ContentObject,
      { part, bytes, sha256, etag, now }: TaggedPart & { readonly now: number },
    ) {
      const open = await queries.run(
        `UPDATE content_objects SET state = 'open'
         WHERE object_key = @key AND state = 'open' AND due_at IS NULL`,
        { key },
      );
      if (open === 0) throw notPending(documentId);
      await queries.run(
        'DELETE FROM content_parts WHERE document_id = @documentId AND part = @part',
        { documentId, part },
      );
      await queries.run(
        `INSERT INTO content_parts (document_id, part, size_bytes, digest, etag, written_at)
         VALUES (@documentId, @part, @bytes, @sha256, @etag, @now)`,
        { documentId, part, bytes, sha256, etag, now },
      );
    },

    parts(documentId: string) {
      return queries.all<TaggedPart>(
        `SELECT part, size_bytes AS "bytes", digest AS "sha256", etag FROM content_parts
         WHERE document_id = @documentId AND digest IS NOT NULL AND etag IS NOT NULL ORDER BY part`,
        { documentId },
      );
    },

    /** Forgets parts of which the object store has others. */
    async removePart(documentId: string, part: number) {
      await queries.run(
        'DELETE FROM content_parts WHERE document_id = @documentId AND part = @part',
        { documentId, part },
      );
    },

    /** Returns objects to remove, the oldest first. */
    due({ now, limit }: { readonly now: number; readonly limit: number }) {
      return queries.all<ContentObject>(
        `SELECT ${columns} FROM content_objects
         WHERE due_at <= @now ORDER BY due_at, object_key LIMIT @limit`,
        { now, limit },
      );
    },

    /** Lets the sweeper come back to a due object at `until` (epoch milliseconds). */
    async postpone(key: string, state: ContentObject['state'], until: number) {
      await queries.run(
        'UPDATE content_objects SET due_at = @until, state = @state WHERE object_key = @key',
        { key, state, until },
      );
    },

    async remove(key: string) {
      await queries.run('DELETE FROM content_objects WHERE object_key = @key', { key });
    },

    /** Whether any content is in the object store. */
    async exist() {
      const row = await queries.get(
        "SELECT object_key FROM content_objects WHERE object_key > '' LIMIT 1",
      );
      return row !== undefined;
    },
  };
}
