import type { Queries, SqlParameters } from './driver.ts';
import {
  containing,
  fold,
  listRows,
  matching,
  type Rows,
  type SortedPageRequest,
} from './listing.ts';

export interface DocumentRecord {
  readonly id: string;
  readonly vaultId: string;
  readonly userId: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly encryptionMetadata: Readonly<Record<string, unknown>>;
  readonly uploadedAt: number;
  readonly updatedAt: number;
}

export interface DocumentFilter extends SortedPageRequest<keyof typeof sortColumns> {
  /** The owning account; null for every account. */
  readonly userId: string | null;
  readonly vaultId?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly search?: string | undefined;
}

export interface Documents {
  /** Stores the description and the ciphertext. */
  insert(document: DocumentRecord, content: Uint8Array): Promise<void>;
  find(id: string): Promise<DocumentRecord | undefined>;
  /** The ciphertext. */
  content(id: string): Promise<Buffer | undefined>;
  list(filter: DocumentFilter): Promise<Rows<DocumentRecord>>;
  /** Writes vaultId, fileName, mimeType and updatedAt. */
  save(document: DocumentRecord): Promise<void>;
  /** Removes the document with its ciphertext and shares. */
  delete(id: string): Promise<void>;
}

const sortColumns = {
  uploadedAt: 'uploaded_at',
  updatedAt: 'updated_at',
  fileName: 'file_name_folded',
  sizeBytes: 'size_bytes',
} as const;

const columns = `id, vault_id AS "vaultId", user_id AS "userId", file_name AS "fileName",
  mime_type AS "mimeType", size_bytes AS "sizeBytes", encryption_metadata AS "encryptionMetadata",
  uploaded_at AS "uploadedAt", updated_at AS "updatedAt"`;

type Row = Omit<DocumentRecord, 'encryptionMetadata'> & { readonly encryptionMetadata: string };

function toRecord(row: Row): DocumentRecord {
  return { ...row, encryptionMetadata: JSON.parse(row.encryptionMetadata) };
}

function toParameters(document: DocumentRecord): SqlParameters {
  return {
    ...document,
    fileNameFolded: fold(document.fileName),
    encryptionMetadata: JSON.stringify(document.encryptionMetadata),
  };
}

export function documents(queries: Queries): Documents {
  return {
    async insert(document, content) {
      await queries.run(
        `INSERT INTO documents (id, vault_id, user_id, file_name, file_name_folded, mime_type, size_bytes,
           encryption_metadata, uploaded_at, updated_at)
         VALUES (@id, @vaultId, @userId, @fileName, @fileNameFolded, @mimeType, @sizeBytes,
           @encryptionMetadata, @uploadedAt, @updatedAt)`,
        toParameters(document),
      );
      await queries.run(
        'INSERT INTO document_contents (document_id, data) VALUES (@id, @content)',
        { id: document.id, content },
      );
    },

    async find(id) {
      const row = await queries.get<Row>(`SELECT ${columns} FROM documents WHERE id = @id`, { id });
      return row && toRecord(row);
    },

    async content(id) {
      const row = await queries.get<{ data: Buffer }>(
        'SELECT data FROM document_contents WHERE document_id = @id',
        { id },
      );
      return row?.data;
    },

    async list(filter) {
      const { userId, vaultId, mimeType } = filter;
      const { where, parameters } = matching({
        user_id: userId ?? undefined,
        vault_id: vaultId,
        mime_type: mimeType,
      });
      if (filter.search !== undefined) {
        where.push("file_name_folded LIKE @search ESCAPE '\\'");
        parameters.search = containing(filter.search);
      }
      const { rows, totalCount } = await listRows<Row>(queries, {
        table: 'documents',
        columns,
        where,
        parameters,
        orderBy: sortColumns[filter.sortBy],
        direction: filter.sortOrder,
        page: filter.page,
        pageSize: filter.pageSize,
      });
      return { rows: rows.map(toRecord), totalCount };
    },

    async save(document) {
      await queries.run(
        `UPDATE documents SET vault_id = @vaultId, file_name = @fileName, file_name_folded = @fileNameFolded,
           mime_type = @mimeType, updated_at = @updatedAt
         WHERE id = @id`,
        toParameters(document),
      );
    },

    async delete(id) {
      await queries.run('DELETE FROM documents WHERE id = @id', { id });
    },
  };
}
