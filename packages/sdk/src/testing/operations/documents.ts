import { violation } from '../../generated/rules/errors.ts';
import type { Document, DocumentWithContent, Vault } from '../../generated/types.ts';
import { type Actor, requireVisible, sees } from '../actor.ts';
import type { Shape } from '../contract.ts';
import { changesBetween, emit } from '../events.ts';
import type { Handlers } from '../handler.ts';
import { contains, toPage } from '../listing.ts';
import { type DocumentRecord, type State, timestamp } from '../state.ts';
import { instanceOf, refuseBeyondQuota, refuseExcess } from './limits.ts';
import { findVault, removeDocument } from './vaults.ts';

/** Maximum size of a decoded ciphertext: 32 MiB. */
const maxContentBytes = 32 * 1024 * 1024;

export const documentHandlers = {
  listDocuments({ state, actor, query }) {
    const { vaultId, mimeType, search } = query;
    const found = [...state.tables.documents.values()].filter(
      (document) =>
        sees(actor, document) &&
        (vaultId === undefined || document.vaultId === vaultId) &&
        (mimeType === undefined || document.mimeType === mimeType) &&
        contains(document.fileName, search),
    );
    return toPage(found, query, presentDocument);
  },

  createDocument({ state, actor, body }) {
    const bytes = decodedLength(body.encryptedData);
    refuseContent(body, bytes);
    const vault = acceptsDocuments(findVault(state, actor, body.vaultId));
    refuseBeyondQuota(state, vault, { bytes, field: 'encryptedData' });
    refuseExcess(state, vault.userId, 'documents');
    const uploadedAt = timestamp(state.now());
    const document: DocumentRecord = {
      id: state.ids.resource(),
      ...body,
      vaultId: vault.id,
      userId: vault.userId,
      uploadedAt,
      updatedAt: uploadedAt,
    };
    state.tables.documents.set(document.id, document);
    count(vault, 1, bytes);
    instanceOf(state, vault).usedBytes += bytes;
    emitDocument(state, actor, { type: 'document.uploaded', document });
    return presentDocument(document);
  },

  getDocument: ({ state, actor, path }) => withContent(findDocument(state, actor, path.id)),

  updateDocument({ state, actor, path, body }) {
    const document = findDocument(state, actor, path.id);
    const changed = changesBetween(document, { ...document, ...body }, [
      'vaultId',
      'fileName',
      'mimeType',
    ]);
    if (!changed) return presentDocument(document);
    if (body.vaultId !== undefined && body.vaultId !== document.vaultId) {
      move(state, document, findVault(state, actor, body.vaultId));
    }
    Object.assign(document, body, { updatedAt: timestamp(state.now()) });
    emitDocument(state, actor, { type: 'document.updated', document, ...changed });
    return presentDocument(document);
  },

  deleteDocument({ state, actor, path }) {
    const document = findDocument(state, actor, path.id);
    const { id, vaultId, userId, sizeBytes } = document;
    const vault = findVault(state, actor, vaultId);
    removeDocument(state, id);
    count(vault, -1, -sizeBytes);
    instanceOf(state, vault).usedBytes -= sizeBytes;
    const data = { object: { id, vaultId } };
    emit(state, { type: 'document.deleted', userId, principal: actor, data });
  },
} satisfies Partial<Handlers>;

/** @throws ServiceError NOT_FOUND */
export function findDocument({ tables }: State, actor: Actor, documentId: string): DocumentRecord {
  return requireVisible(actor, tables.documents.get(documentId), 'document', { documentId });
}

export function withContent({ userId: _, ...document }: DocumentRecord): DocumentWithContent {
  return { ...document };
}

function presentDocument({ encryptedData: _, userId: __, ...document }: DocumentRecord): Document {
  return document;
}

/** A document in an event: without its content and most of its encryption metadata. */
function emitDocument(
  state: State,
  principal: Actor,
  event: {
    readonly type: 'document.uploaded' | 'document.updated';
    readonly document: DocumentRecord;
    readonly changes?: readonly string[];
    readonly previous?: unknown;
  },
): void {
  const { type, document, ...changed } = event;
  const { algorithm, keyDerivation } = document.encryptionMetadata;
  const encryptionMetadata = { algorithm, ...(keyDerivation !== undefined && { keyDerivation }) };
  const object = { ...presentDocument(document), encryptionMetadata };
  emit(state, { type, userId: document.userId, principal, data: { object, ...changed } });
}

function move(state: State, document: DocumentRecord, to: Vault): void {
  acceptsDocuments(to);
  if (to.userId !== document.userId) {
    throw violation('vaultId', 'sameAccount', 'A document moves within its own account only.');
  }
  refuseBeyondQuota(state, to, { bytes: document.sizeBytes, field: 'vaultId' });
  const from = state.tables.vaults.get(document.vaultId);
  if (from) count(from, -1, -document.sizeBytes);
  count(to, 1, document.sizeBytes);
}

function count(vault: Vault, documents: number, bytes: number): void {
  vault.documentCount += documents;
  vault.totalSize += bytes;
}

function decodedLength(base64: string): number {
  return (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0);
}

function refuseContent({ sizeBytes }: Shape<'CreateDocument'>, bytes: number): void {
  if (bytes > maxContentBytes) {
    throw violation(
      'encryptedData',
      'maxDecodedLength',
      `encryptedData must be at most ${maxContentBytes} bytes when decoded.`,
    );
  }
  if (bytes !== sizeBytes) {
    throw violation(
      'sizeBytes',
      'decodedLength',
      `sizeBytes is ${sizeBytes}, but encryptedData decodes to ${bytes} bytes.`,
    );
  }
}

function acceptsDocuments(vault: Vault): Vault {
  if (!vault.isActive) {
    throw violation('vaultId', 'active', 'This vault is inactive and takes no documents.');
  }
  return vault;
}
