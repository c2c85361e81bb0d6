import { read } from './http.ts';
import { digestOf } from './operations.ts';
import type { Access } from './server-process.ts';
import { emptyState, type State } from './state.ts';

/** Requests at once. */
const width = 8;

/** Everything that an account holds, contents included, as its server shows it. */
export async function inspect(access: Access): Promise<State> {
  const state = emptyState();
  for (const vault of await readAll(access, '/api/v1/vaults')) {
    const { id, name, documentCount, totalSize, createdAt, updatedAt } = vault;
    state.vaults.set(id, { name, documentCount, totalSize, createdAt, updatedAt });
  }
  const documents = await readAll(access, '/api/v1/documents');
  const readNext = async () => {
    for (let listed = documents.pop(); listed; listed = documents.pop()) {
      await readDocument(access, listed, state);
    }
  };
  await Promise.all(Array.from({ length: width }, readNext));
  return state;
}

// biome-ignore lint/suspicious/noExplicitAny: rows of every list
type Row = any;

async function readDocument(access: Access, listed: Row, state: State): Promise<void> {
  const path = `/api/v1/documents/${listed.id}`;
  const { encryptedData, ...facts } = await read(access, path);
  if (JSON.stringify(facts) !== JSON.stringify(listed)) {
    throw new Error(
      `${path} is ${JSON.stringify(facts)}, and in the list ${JSON.stringify(listed)}`,
    );
  }
  const { id, vaultId, fileName, sizeBytes, uploadedAt, updatedAt } = facts;
  const digest = digestOf(Buffer.from(encryptedData, 'base64'));
  state.documents.set(id, { vaultId, fileName, sizeBytes, digest, uploadedAt, updatedAt });
  for (const share of await readAll(access, `${path}/shares`)) {
    const { id: shareId, documentId, maxAccessCount, accessCount, isActive, createdAt } = share;
    state.shares.set(shareId, { documentId, maxAccessCount, accessCount, isActive, createdAt });
  }
}

async function readAll(access: Access, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { data, pagination } = await read(access, `${path}?page=${page}&pageSize=100`);
    rows.push(...data);
    if (pagination.hasNextPage) continue;
    if (rows.length !== pagination.totalCount) {
      throw new Error(`${path} counts ${pagination.totalCount} and has ${rows.length}`);
    }
    return rows;
  }
}
