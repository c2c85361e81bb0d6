/** The rows that a vault shows: a page of the service, or one of the local index. */
import { type Document, LockedError, type Page } from '@document-vault/sdk';
import { useEffect, useMemo } from 'preact/hooks';
import { client } from '../../service/client.ts';
import { accountKeys } from '../../service/keys.ts';
import { type Loaded, useLoaded } from '../../service/loading.ts';
import { listQuery, type Query } from '../../service/query.ts';
import {
  buildIndex,
  defaultSort,
  type Filters,
  indexOf,
  loadPage,
  outdateDocuments,
  pageKey,
} from './cache.ts';
import { decryptNames, nameOf, namesVersion } from './names.ts';

const defaultPageSize = 20;

/** The documents that the address and the search choose. Names are searched and sorted locally. */
export function useDocuments(
  vaultId: string,
  values: Query['values'],
  search: string,
): Loaded<Page<Document>> {
  const needsNames = search !== '' || values.sortBy === 'fileName';
  const isLocal = needsNames && Boolean(accountKeys.value);
  const { sortBy: _, sortOrder: __, ...unsorted } = values;
  const filters: Filters = {
    // The service has no names to sort by.
    ...listQuery(needsNames ? unsorted : values),
    ...(values.mimeType && { mimeType: values.mimeType }),
  };
  const loaded = useLoaded(isLocal ? undefined : pageKey(vaultId, filters), () =>
    loadPage(vaultId, filters),
  );
  const index = indexOf(vaultId);
  const hasIndex = index !== undefined;
  useEffect(() => {
    if (isLocal && !hasIndex) void buildIndex(vaultId);
  }, [vaultId, isLocal, hasIndex]);
  const shown = isLocal ? index?.documents : loaded.data?.data;
  useEffect(() => {
    if (shown) void decryptNames(shown);
    // A lock forgets the names.
  }, [shown, accountKeys.value]);
  const all = isLocal ? index?.documents : undefined;
  const { mimeType, sortBy, sortOrder } = values;
  // Sorting thousands of names takes longer than a page may take to appear.
  const rows = useMemo(
    () => all && localRows(all, { mimeType, sortBy, sortOrder, search }),
    [all, namesVersion(), mimeType, sortBy, sortOrder, search],
  );
  const isDecrypted = useMemo(() => all?.every(nameOf), [all, namesVersion()]);
  if (!isLocal) return loaded;
  const page = rows && pageOf(rows, values);
  // Nothing is known to be missing until every name is there.
  const isReading = !index?.isComplete || !isDecrypted;
  return {
    data: page && (page.pagination.totalCount > 0 || !isReading) ? page : undefined,
    error: index?.error,
    isLoading: isReading,
    reload: () => outdateDocuments(vaultId),
  };
}

/**
 * Every page of the documents that the filters match, once its names are decrypted.
 *
 * @throws LockedError when the console is locked meanwhile: the names of further pages would be missing
 */
export async function* namedPages(
  vaultId: string,
  { mimeType }: Query['values'],
): AsyncGenerator<Page<Document>> {
  const used = accountKeys.peek();
  const filters = { vaultId, pageSize: 100, ...(mimeType && { mimeType }) };
  for await (const page of client.documents.list(filters).pages()) {
    await decryptNames(page.data);
    if (accountKeys.peek() !== used) throw new LockedError('The console is locked');
    yield page;
  }
}

interface Choice {
  readonly mimeType: string | undefined;
  readonly sortBy: string | undefined;
  readonly sortOrder: string | undefined;
  readonly search: string;
}

/** Some systems decompose letters with accents in the names of files: `é` is then two characters. */
function fold(text: string): string {
  return text.normalize('NFC').toLocaleLowerCase();
}

/** Filters and sorts the documents of an index. */
function localRows(
  documents: readonly Document[],
  { mimeType, sortBy, sortOrder = sortBy ? 'asc' : defaultSort.order, search }: Choice,
): readonly Document[] {
  const wanted = fold(search);
  const rows = documents
    .filter((document) => !mimeType || document.mimeType === mimeType)
    .map((document) => ({ document, name: nameOf(document)?.text ?? '' }))
    .filter(({ name }) => fold(name).includes(wanted));
  const compare = comparisonOf(sortBy);
  rows.sort(sortOrder === 'asc' ? compare : (a, b) => compare(b, a));
  return rows.map(({ document }) => document);
}

function pageOf(rows: readonly Document[], values: Query['values']): Page<Document> {
  const { page = 1, pageSize = defaultPageSize } = listQuery(values);
  const totalCount = rows.length;
  const totalPages = Math.ceil(totalCount / pageSize);
  return {
    data: rows.slice((page - 1) * pageSize, page * pageSize),
    pagination: {
      page,
      pageSize,
      totalPages,
      totalCount,
      hasNextPage: page < totalPages,
      hasPreviousPage: page > 1,
    },
  };
}

interface Row {
  readonly document: Document;
  readonly name: string;
}

/** Digits count as numbers: `2.pdf` before `10.pdf`. */
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

function comparisonOf(sortBy: string | undefined): (a: Row, b: Row) => number {
  if (sortBy === 'sizeBytes') return (a, b) => a.document.sizeBytes - b.document.sizeBytes;
  if (sortBy === 'fileName') return (a, b) => collator.compare(a.name, b.name);
  return (a, b) => (a.document.updatedAt < b.document.updatedAt ? -1 : 1);
}
