import { fold } from '../../../lib/case-folding.ts';
import type { StoredContent } from '../../contents/content.ts';
import type { Queries, SqlParameters } from '../../driver.ts';
import { counts, isKept } from '../../lists/counts.ts';
import {
  byNumber,
  inSnapshot,
  type Listing,
  listRows,
  mapRows,
  matching,
  orderAndPage,
  type Rows,
  type SortedPageRequest,
} from '../../lists/listing.ts';
import { listRowsOfEach, mapRowsOfEach } from '../../lists/listing-of-each.ts';
import { type ListCache, searchRows } from '../../lists/search.ts';
import { type Row, Table } from '../../table.ts';

export interface DocumentRecord {
  readonly id: string;
  readonly vaultId: string;
  readonly userId: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly encryptionMetadata: Readonly<Record<string, unknown>>;
  /** Where its ciphertext is stored, and its digest. */
  readonly content: StoredContent;
  readonly uploadedAt: number;
  readonly updatedAt: number;
}

export interface DocumentFilter extends SortedPageRequest<typeof sortColumns> {
  /** The owning account; null for every account. */
  readonly userId: string | null;
  readonly vaultId?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly search?: string | undefined;
}

/** Maximum number of rows that one statement scans for a media type. */
const maxFiltered = 10_000;

const sortColumns = {
  uploadedAt: 'uploaded_at',
  updatedAt: 'updated_at',
  fileName: 'file_name_folded',
  sizeBytes: 'size_bytes',
} as const;

type StoredDocument = Omit<DocumentRecord, 'content'> & {
  readonly contentStore: StoredContent['store'];
  readonly contentDigest: Buffer;
  readonly contentPartBytes: number | null;
};

const stored = new Table<StoredDocument>({
  name: 'documents',
  columns: `id, vault_id, user_id, file_name, mime_type, size_bytes, encryption_metadata, content_store,
    content_digest, content_part_bytes, uploaded_at, updated_at`,
  json: ['encryptionMetadata'],
});

const insertion = stored.insertionWith({ file_name_folded: '@fileNameFolded' });

const changes = stored.update(
  'vault_id, file_name, file_name_folded, mime_type, encryption_metadata, updated_at',
);

function toRecord(document: StoredDocument): DocumentRecord {
  const { contentStore, contentDigest, contentPartBytes, ...others } = document;
  const content = { store: contentStore, digest: contentDigest, partBytes: contentPartBytes };
  return { ...others, content };
}

function toParameters({ content, ...document }: DocumentRecord): SqlParameters {
  const parameters = stored.parametersOf({
    ...document,
    contentStore: content.store,
    contentDigest: content.digest,
    contentPartBytes: content.partBytes,
  });
  return { ...parameters, fileNameFolded: fold(document.fileName) };
}

/** Returns the owner of a vault; undefined when the vault does not exist. */
async function ownerOf(queries: Queries, vaultId: string): Promise<string | undefined> {
  const vault = await queries.get<{ userId: string }>(
    'SELECT user_id AS "userId" FROM vaults WHERE id = @vaultId',
    { vaultId },
  );
  return vault?.userId;
}

/**
 * Chooses the conditions that the index of the order starts with: vault or account.
 *
 * @param owner the account whose documents are listed; null for all accounts
 * @param isErasing whether documents of deleted vaults must be skipped
 */
function toListing(
  filter: DocumentFilter,
  { owner, isErasing }: { readonly owner: string | null; readonly isErasing: boolean },
) {
  const { vaultId, mimeType, sortBy } = filter;
  const ofType = matching({ mime_type: mimeType });
  const ofOwner = matching({ user_id: owner });
  const ofVault = matching({ vault_id: vaultId });
  const kept = isErasing ? [isKept('vault_id')] : [];
  return {
    table: 'documents',
    columns: stored.columns,
    where: [...(vaultId === undefined ? ofOwner : ofVault).where, ...kept],
    residual: ofType.where,
    found: [...ofType.where, ...ofOwner.where, ...ofVault.where, ...kept],
    shown: kept[0],
    parameters: { ...ofOwner.parameters, ...ofVault.parameters, ...ofType.parameters },
    ...orderAndPage(filter, sortColumns),
    ...(owner === null && (sortBy === 'uploadedAt' ? byNumber : { isUnindexed: true })),
  } satisfies Listing;
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

function searched({ vaultId }: DocumentFilter, owner: string | null) {
  const belongingTo = {
    ...(owner !== null && { owner }),
    ...(vaultId !== undefined && { vault: vaultId }),
  };
  return {
    columnsSearched: ['file_name_folded'],
    scanBy: owner === null ? 'number' : 'file_name_folded',
    index: { name: 'document_search', columns: ['name'], belongingTo },
  };
}

/** Counts a new document for its vault and account, and by its media type. */
async function count(queries: Queries, document: SqlParameters): Promise<void> {
  await queries.run(
    `UPDATE vaults SET document_count = document_count + 1, total_size = total_size + @sizeBytes,
       document_bytes = document_bytes + ${heldBytes}
     WHERE id = @vaultId`,
    document,
  );
  await queries.run(
    `UPDATE account_usage SET documents = documents + 1, total_size = total_size + @sizeBytes,
       bytes = bytes + ${heldBytes}, document_revision = document_revision + 1
     WHERE user_id = @userId`,
    document,
  );
  await queries.run(
    `INSERT INTO document_types (user_id, mime_type, vault_id, documents)
     VALUES (@userId, @mimeType, @vaultId, 1)
     ON CONFLICT (user_id, mime_type, vault_id) DO UPDATE
       SET documents = document_types.documents + 1`,
    document,
  );
}

/** The column `held_bytes` of a new document. */
const heldBytes = `@sizeBytes + octet_length(@fileName) + octet_length(@mimeType)
  + octet_length(@encryptionMetadata)`;

export function documentRepository(queries: Queries, cache?: ListCache) {
  return {
    /** Stores a document and counts it for its vault and account. Its content is stored separately. */
    async insert(document: DocumentRecord) {
      const parameters = toParameters(document);
      const number = await queries.insert(insertion, parameters);
      await count(queries, parameters);
      const indexing = queries.dialect.indexing('documents', number);
      if (indexing) await queries.run(indexing, { number });
    },

    async find(id: string) {
      const where = `id = @id AND ${isKept('vault_id')} ${queries.dialect.lock()}`;
      const found = await stored.first(queries, where, { id });
      return found && toRecord(found);
    },

    /** Returns the existing documents, in no order. */
    async findMany(ids: readonly string[]) {
      const where = `${queries.dialect.among('id', 'ids')} AND ${isKept('vault_id')}`;
      const found = await stored.all(queries, where, { ids: JSON.stringify(ids) });
      return found.map(toRecord);
    },

    /** Lists documents. Other orders of all accounts than `uploadedAt` sort all documents. */
    list: (filter: DocumentFilter) =>
      inSnapshot(queries, filter, (snapshot) => listIn(snapshot, filter, cache)),

    /**
     * Returns a page for each of these vaults, which must belong to the caller. Returns undefined when the
     * filter would scan too many rows for one statement: use `list` for each vault then.
     */
    async listOfEach(
      vaultIds: readonly string[],
      { mimeType, search, ...request }: Omit<DocumentFilter, 'userId' | 'vaultId'>,
    ) {
      const counted = await counts(queries).documentsOfEach(vaultIds);
      const isFiltered = mimeType !== undefined || Boolean(search);
      const text = fold(search ?? '');
      const most = search ? queries.dialect.comparedAtOnce(text) : maxFiltered;
      if (isFiltered && sum(counted.values()) > most) return undefined;
      const ofType = matching({ mime_type: mimeType });
      const found = search ? [queries.dialect.contains('file_name_folded', 'search')] : [];
      const lists = await listRowsOfEach<Row>(queries, {
        table: 'documents',
        columns: stored.columns,
        parentColumn: 'vault_id',
        parents: vaultIds,
        where: [],
        residual: [...ofType.where, ...found],
        parameters: { ...ofType.parameters, ...(search && { search: text }) },
        ...orderAndPage(request, sortColumns),
        ...(!isFiltered && { totals: counted }),
      });
      return mapRowsOfEach(lists, (row) => toRecord(stored.itemOf(row)));
    },

    /** Updates vaultId, fileName, mimeType, encryptionMetadata and updatedAt. */
    async save(document: DocumentRecord) {
      await queries.run(changes, toParameters(document));
    },

    /** Removes the document and its shares. A later sweep erases its content. */
    async delete(id: string) {
      await queries.run('DELETE FROM documents WHERE id = @id', { id });
    },
  };
}

async function listIn(
  queries: Queries,
  filter: DocumentFilter,
  cache: ListCache | undefined,
): Promise<Rows<DocumentRecord>> {
  const { userId, vaultId, search } = filter;
  const owner = vaultId === undefined ? userId : await ownerOf(queries, vaultId);
  if (owner === undefined || (userId !== null && owner !== userId)) {
    return { rows: [], totalCount: 0 };
  }
  const counted = await counts(queries).documents({ ...filter, userId: owner });
  const { total, isErasing, revision = cache?.revision } = counted;
  const listing = toListing(filter, { owner, isErasing });
  const list = search
    ? await searchRows<Row>(queries, {
        ...listing,
        ...searched(filter, owner),
        text: search,
        countSearched: async () =>
          (await counts(queries).documents({ userId: owner, vaultId })).total,
        cache: cache?.matches,
        revision,
      })
    : await listRows<Row>(queries, {
        ...listing,
        totalCount: total,
        ...(cache && revision !== undefined && { anchors: cache.anchors.of(revision) }),
      });
  return mapRows(list, (row) => toRecord(stored.itemOf(row)));
}
