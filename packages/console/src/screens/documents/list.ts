/** The rows that a vault shows: a page of the service, or one of the local index. */
import type { Document, Page } from '@document-vault/sdk';
import { useEffect } from 'preact/hooks';
import { client } from '../../service/client.ts';
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
import { decryptNames, nameOf } from './names.ts';

const defaultPageSize = 20;

/** The documents that the address and the search choose. Names are searched and sorted locally. */
export function useDocuments(
  vaultId: string,
  values: Query['values'],
  search: string,
): Loaded<Page<Document>> {
  const isLocal = search !== '' || values.sortBy === 'fileName';
  const filters: Filters = {
    ...listQuery(values),
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
  }, [shown]);
  if (!isLocal) return loaded;
  const page = index && localPage(index.documents, values, search);
  // Nothing is known to be missing until every name is there.
  const isReading = !index?.isComplete || index.documents.some((one) => !nameOf(one));
  return {
    data: page && (page.pagination.totalCount > 0 || !isReading) ? page : undefined,
    error: index?.error,
    isLoading: isReading,
    reload: () => outdateDocuments(vaultId),
  };
}

/** Every page of the documents that the filters match, once its names are decrypted. */
export async function* namedPages(
  vaultId: string,
  { mimeType }: Query['values'],
): AsyncGenerator<Page<Document>> {
  const filters = { vaultId, pageSize: 100, ...(mimeType && { mimeType }) };
  for await (const page of client.documents.list(filters).pages()) {
    await decryptNames(page.data);
    yield page;
  }
}

/** Filters, sorts and cuts the documents of an index. */
function localPage(
  documents: readonly Document[],
  values: Query['values'],
  search: string,
): Page<Document> {
  const wanted = search.toLocaleLowerCase();
  const rows = documents
    .filter(({ mimeType }) => !values.mimeType || mimeType === values.mimeType)
    .map((document) => ({ document, name: nameOf(document)?.text ?? '' }))
    .filter(({ name }) => name.toLocaleLowerCase().includes(wanted));
  const compare = comparisonOf(values.sortBy);
  const { sortBy, sortOrder = sortBy ? 'asc' : defaultSort.order } = values;
  rows.sort(sortOrder === 'asc' ? compare : (a, b) => compare(b, a));
  const { page = 1, pageSize = defaultPageSize } = listQuery(values);
  const totalCount = rows.length;
  const totalPages = Math.ceil(totalCount / pageSize);
  return {
    data: rows.slice((page - 1) * pageSize, page * pageSize).map(({ document }) => document),
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
