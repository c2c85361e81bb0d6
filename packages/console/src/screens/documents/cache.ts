/** What the console knows of a vault's documents: pages of the service, and a complete list for names. */
import type { Document, Page } from '@document-vault/sdk';
import { signal } from '@preact/signals';
import { client, send, userId } from '../../service/client.ts';
import { isOutdated, loadedBefore, outdate, provide } from '../../service/loading.ts';
import { decryptNames } from './names.ts';

/** The filters of a list, in the order in which keys have them. */
export type Filters = Readonly<Record<string, string | number>>;

/** The newest change first: the order without another choice. */
export const defaultSort = { by: 'updatedAt', order: 'desc' } as const;

/** The key of a page of documents. */
export function pageKey(vaultId: string, filters: Filters = {}): string {
  return `documents ${vaultId}?${JSON.stringify(filters)}`;
}

/** Every document of a vault: the service cannot search or sort encrypted names. */
interface Index {
  readonly documents: readonly Document[];
  /** Undefined until the first page is there. */
  readonly total?: number;
  readonly isComplete: boolean;
  readonly error?: unknown;
}

/** The indexes by their vaults. */
const indexes = signal<ReadonlyMap<string, Index>>(new Map());

/** The largest page of the contract: each page is a request. */
const pageSize = 100;

function setIndex(vaultId: string, index: Index | undefined): void {
  const next = new Map(indexes.peek());
  if (index) next.set(vaultId, index);
  else next.delete(vaultId);
  indexes.value = next;
}

function setComplete(vaultId: string, documents: readonly Document[]): void {
  setIndex(vaultId, { documents, total: documents.length, isComplete: true });
}

export function indexOf(vaultId: string): Index | undefined {
  return indexes.value.get(vaultId);
}

/** The last build of each vault, so that an earlier one ends. */
const builds = new Map<string, symbol>();

/** Lists every document of a vault and decrypts its name. The rate limit can make it wait. */
export async function buildIndex(vaultId: string): Promise<void> {
  const known = indexes.peek().get(vaultId);
  if (known && known.error === undefined) return;
  const key = pageKey(vaultId);
  const whole = isOutdated(key) ? undefined : loadedBefore<Page<Document>>(key);
  if (whole && whole.pagination.totalCount === whole.data.length) {
    setComplete(vaultId, whole.data);
    return;
  }
  const documents: Document[] = [];
  setIndex(vaultId, { documents, isComplete: false });
  const build = Symbol('build');
  builds.set(vaultId, build);
  const isCurrent = () => builds.get(vaultId) === build && indexes.peek().has(vaultId);
  try {
    for await (const page of client.documents.list({ vaultId, pageSize }).pages()) {
      if (!isCurrent()) return;
      documents.push(...page.data);
      void decryptNames(page.data);
      const total = page.pagination.totalCount;
      setIndex(vaultId, { documents: [...documents], total, isComplete: false });
    }
    if (isCurrent()) setComplete(vaultId, documents);
  } catch (error) {
    if (isCurrent()) setIndex(vaultId, { documents, isComplete: false, error });
  }
}

/** Reads a page of the service. */
export function loadPage(vaultId: string, filters: Filters): Promise<Page<Document>> {
  const { by, order } = defaultSort;
  return send(client.documents.list({ vaultId, sortBy: by, sortOrder: order, ...filters }));
}

/** Reads the pages and the index of a vault again when they are shown. */
export function outdateDocuments(vaultId: string): void {
  setIndex(vaultId, undefined);
  outdate(`documents ${vaultId}?`);
  outdate('vaults?');
}

/** Takes deleted or moved documents out of a vault. A complete index stays: to read it again costs many requests. */
export function removeDocuments(vaultId: string, ids: readonly string[]): void {
  const index = indexes.peek().get(vaultId);
  outdateDocuments(vaultId);
  if (!index?.isComplete) return;
  setComplete(
    vaultId,
    index.documents.filter(({ id }) => !ids.includes(id)),
  );
}

/**
 * Shows a document first on the first page, which saves the request for that page.
 *
 * @param isNew - false for a change: the first page does not know whether another page had the document
 */
export function showFirst(document: Document, isNew: boolean): void {
  const { vaultId, id } = document;
  const key = pageKey(vaultId);
  const page = loadedBefore<Page<Document>>(key);
  const index = indexes.peek().get(vaultId);
  outdate(`documents ${vaultId}?`);
  outdate('vaults?');
  if (page) {
    const others = page.data.filter((other) => other.id !== id);
    const { pagination } = page;
    // The page can have been loaded after the upload.
    const isAdded = isNew && others.length === page.data.length;
    const totalCount = pagination.totalCount + Number(isAdded);
    const data = [document, ...others].slice(0, pagination.pageSize);
    provide(key, { ...page, data, pagination: { ...pagination, totalCount } });
  }
  if (index?.isComplete) {
    setComplete(vaultId, [document, ...index.documents.filter((other) => other.id !== id)]);
  } else if (index) setIndex(vaultId, undefined);
}

// Documents of one account are never shown to another.
userId.subscribe(() => {
  indexes.value = new Map();
});
