import { ContentError, type StoredPart } from '../contents/content.ts';
import type { Queries } from '../driver.ts';
import { isKept } from '../lists/counts.ts';

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

/** The rows of contents in the object store. No object is stored before its row is committed. */
export interface ContentObjectRepository {
  insert(object: Pick<ContentObject, 'key' | 'documentId'>): Promise<void>;
  /** Returns the object of a content that waits for its document. */
  findPending(documentId: string, now: number): Promise<ContentObject | undefined>;
  /** Returns the key of an existing document's object. */
  keyOf(documentId: string): Promise<string | undefined>;
  /** Stores the multipart upload of an object. Returns false when it has one already. */
  setUpload(key: string, uploadId: string): Promise<boolean>;
  /** Notes that the object is whole. */
  complete(key: string): Promise<void>;
  /**
   * Makes a whole object the content of its document.
   *
   * @throws ContentError CONTENT_NOT_PENDING
   */
  take(documentId: string): Promise<void>;
  /**
   * Stores a part of an open object in the place of an earlier one.
   *
   * @throws ContentError CONTENT_NOT_PENDING when the object is not open
   */
  putPart(object: ContentObject, part: TaggedPart & { readonly now: number }): Promise<void>;
  parts(documentId: string): Promise<TaggedPart[]>;
  /** Forgets parts of which the object store has others. */
  removePart(documentId: string, part: number): Promise<void>;
  /** Returns objects to remove, the oldest first. */
  due(due: { readonly now: number; readonly limit: number }): Promise<ContentObject[]>;
  /** Lets the sweeper come back to a due object at `until` (epoch milliseconds). */
  postpone(key: string, state: ContentObject['state'], until: number): Promise<void>;
  remove(key: string): Promise<void>;
  /** Whether any content is in the object store. */
  exist(): Promise<boolean>;
}

const columns = `object_key AS "key", document_id AS "documentId", upload_id AS "uploadId", state`;

export function contentObjectRepository(queries: Queries): ContentObjectRepository {
  return {
    async insert({ key, documentId }) {
      await queries.run(
        `INSERT INTO content_objects (object_key, document_id, state)
         VALUES (@key, @documentId, 'open')`,
        { key, documentId },
      );
    },

    findPending(documentId, now) {
      return queries.get<ContentObject>(
        `SELECT ${columns} FROM content_objects
         WHERE document_id = @documentId AND due_at IS NULL AND state IN ('open', 'complete')
           AND EXISTS (SELECT 1 FROM content_erasures WHERE document_id = @documentId AND due_at > @now)`,
        { documentId, now },
      );
    },

    async keyOf(id) {
      const row = await queries.get<{ key: string }>(
        `SELECT object_key AS "key" FROM content_objects
         WHERE document_id = @id AND due_at IS NULL AND state = 'taken'
           AND EXISTS (SELECT 1 FROM documents WHERE id = @id AND ${isKept('vault_id')})`,
        { id },
      );
      return row?.key;
    },

    async setUpload(key, uploadId) {
      const set = await queries.run(
        `UPDATE content_objects SET upload_id = @uploadId
         WHERE object_key = @key AND upload_id IS NULL AND due_at IS NULL`,
        { key, uploadId },
      );
      return set > 0;
    },

    async complete(key) {
      await queries.run(
        `UPDATE content_objects SET state = 'complete'
         WHERE object_key = @key AND state = 'open' AND due_at IS NULL`,
        { key },
      );
    },

    async take(documentId) {
      const taken = await queries.run(
        `UPDATE content_objects SET state = 'taken'
         WHERE document_id = @documentId AND state = 'complete' AND due_at IS NULL`,
        { documentId },
      );
      if (taken === 0) throw notPending(documentId);
    },

    async putPart({ key, documentId }, { part, bytes, sha256, etag, now }) {
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

    parts(documentId) {
      return queries.all<TaggedPart>(
        `SELECT part, size_bytes AS "bytes", digest AS "sha256", etag FROM content_parts
         WHERE document_id = @documentId AND digest IS NOT NULL AND etag IS NOT NULL ORDER BY part`,
        { documentId },
      );
    },

    async removePart(documentId, part) {
      await queries.run(
        'DELETE FROM content_parts WHERE document_id = @documentId AND part = @part',
        { documentId, part },
      );
    },

    due({ now, limit }) {
      return queries.all<ContentObject>(
        `SELECT ${columns} FROM content_objects
         WHERE due_at <= @now ORDER BY due_at, object_key LIMIT @limit`,
        { now, limit },
      );
    },

    async postpone(key, state, until) {
      await queries.run(
        'UPDATE content_objects SET due_at = @until, state = @state WHERE object_key = @key',
        { key, state, until },
      );
    },

    async remove(key) {
      await queries.run('DELETE FROM content_objects WHERE object_key = @key', { key });
    },

    async exist() {
      const row = await queries.get(
        "SELECT object_key FROM content_objects WHERE object_key > '' LIMIT 1",
      );
      return row !== undefined;
    },
  };
}

function notPending(id: string): ContentError {
  return new ContentError('CONTENT_NOT_PENDING', `the content of document ${id} is not pending`);
}
