import type { Document, DocumentWithContent, EncryptionMetadata, Vault } from '@document-vault/sdk';
import { type Actor, sees } from '../actor.ts';
import { fromBase64 } from '../base64.ts';
import type { Shape } from '../contract.ts';
import { emit } from '../events.ts';
import { diffOf } from '../generated/rules/changes.ts';
import {
  requireActive,
  requireDecodedLength,
  requireSameAccount,
  withoutDerivation,
} from '../generated/rules/documents.ts';
import { requireRewrapped } from '../generated/rules/keys.ts';
import { hasScope } from '../generated/rules/scopes.ts';
import { isMadeBy, rewrapped } from '../generated/rules/uploads.ts';
import type { Handlers } from '../handler.ts';
import { resource } from '../resource.ts';
import { type DocumentRecord, type State, timestamp } from '../state.ts';
import { contentReply, toEncryptedData } from './contents.ts';
import { requireNewestKey } from './keys.ts';
import { instanceOf, refuseBeyondQuota, refuseDocument } from './limits.ts';
import { finishedUpload, partsInOrder, unusedId } from './uploads.ts';
import { findVault, removeDocument } from './vaults.ts';

/** Maximum size of a decoded ciphertext: 32 MiB. */
const maxContentBytes = 32 * 1024 * 1024;

const documents = resource({
  name: 'document',
  table: (tables) => tables.documents,
  filters: ['vaultId', 'mimeType'],
  texts: ['fileName'],
  present: presentDocument,
});

/** @throws ServiceError NOT_FOUND */
export const findDocument = documents.find;

export const documentHandlers = {
  listDocuments: documents.list,

  createDocument({ state, actor, body }) {
    const { uploadId, encryptedData = '', ...described } = body;
    if (uploadId !== undefined) return finish(state, actor, { ...body, uploadId });
    const bytes = fromBase64(encryptedData);
    const { sizeBytes } = described;
    requireDecodedLength(bytes.length, sizeBytes, maxContentBytes);
    const vault = requireActive(findVault(state, actor, body.vaultId));
    requireNewestKey(state, vault.id, body.encryptionMetadata);
    const id = unusedId(state, body.id);
    const content = { parts: [{ bytes }], isUpload: false };
    refuseDocument(state, vault, {
      document: described,
      unreserved: sizeBytes,
      field: 'encryptedData',
    });
    return insert(state, actor, { ...described, id, userId: vault.userId, content });
  },

  getDocument: ({ state, actor, path, query }) =>
    shownDocument(findDocument(state, actor, path.id), query),

  async getDocumentContent({ state, actor, path, ...request }) {
    return contentReply(findDocument(state, actor, path.id), request);
  },

  updateDocument({ state, actor, path, body }) {
    const document = findDocument(state, actor, path.id);
    const after = { ...document, ...body, encryptionMetadata: rewrappedMetadata(document, body) };
    const changed = diffOf(document, after, [
      'vaultId',
      'fileName',
      'mimeType',
      'encryptionMetadata',
    ]);
    if (!changed) return presentChanged(actor, document);
    if (body.encryptionMetadata) requireNewestKey(state, after.vaultId, after.encryptionMetadata);
    if (after.vaultId !== document.vaultId) {
      requireRewrapped(document.encryptionMetadata, body.encryptionMetadata);
      move(state, document, findVault(state, actor, after.vaultId));
    }
    Object.assign(document, after, { updatedAt: timestamp(state.now()) });
    emitDocument(state, actor, { type: 'document.updated', document, ...changed });
    return presentChanged(actor, document);
  },

  deleteDocument({ state, actor, path }) {
    const document = findDocument(state, actor, path.id);
    const { id, vaultId, userId, sizeBytes } = document;
    const vault = findVault(state, actor, vaultId);
    removeDocument(state, id);
    count(vault, -1, -sizeBytes);
    instanceOf(state, vault).usedBytes -= sizeBytes;
    const object = { id, vaultId };
    emit(state, { type: 'document.deleted', userId, principal: actor, object });
  },
} satisfies Partial<Handlers>;

/** Returns a document, with its content unless the caller leaves it out. */
export function shownDocument(
  document: DocumentRecord,
  { content }: { readonly content: boolean },
): DocumentWithContent {
  if (!content) return presentDocument(document);
  const isLarge = document.sizeBytes > maxContentBytes;
  const encryptedData = isLarge ? null : toEncryptedData(document.content);
  return { ...presentDocument(document), encryptedData };
}

function presentDocument(document: DocumentRecord): Document {
  const { content: _, userId: __, ...shown } = document;
  return { ...shown, contentUrl: `/api/v1/documents/${document.id}/content` };
}

/** Returns a changed document, to credentials that may not read documents without the key parameters. */
function presentChanged(actor: Actor, document: DocumentRecord): Document {
  const presented = presentDocument(document);
  return hasScope(actor, 'documents:read') ? presented : withoutDerivation(presented);
}

/** Makes a document of an upload. */
function finish(
  state: State,
  actor: Actor,
  body: Shape<'CreateDocument'> & { readonly uploadId: string },
): Document {
  const made = state.tables.documents.get(body.uploadId);
  if (made && sees(actor, made) && isMadeBy(made, body)) return presentDocument(made);
  const upload = finishedUpload(state, actor, body);
  const vault = requireActive(findVault(state, actor, body.vaultId));
  requireNewestKey(state, vault.id, body.encryptionMetadata);
  const { uploadId: id, ...described } = body;
  refuseDocument(state, vault, { document: described, unreserved: 0, field: 'uploadId' });
  state.tables.uploads.delete(id);
  const content = { parts: partsInOrder(upload), isUpload: true };
  return insert(state, actor, { ...described, id, userId: vault.userId, content });
}

function insert(
  state: State,
  actor: Actor,
  given: Omit<DocumentRecord, 'uploadedAt' | 'updatedAt'>,
): Document {
  const uploadedAt = timestamp(state.now());
  const document: DocumentRecord = { ...given, uploadedAt, updatedAt: uploadedAt };
  const { id, sizeBytes } = document;
  const vault = findVault(state, actor, document.vaultId);
  state.tables.documents.set(id, document);
  state.tables.usedIds.set(id, true);
  count(vault, 1, sizeBytes);
  instanceOf(state, vault).usedBytes += sizeBytes;
  emitDocument(state, actor, { type: 'document.uploaded', document });
  return presentDocument(document);
}

/** Returns the metadata with the key as it was wrapped anew; the same object when nothing changes. */
function rewrappedMetadata(
  { encryptionMetadata: current }: DocumentRecord,
  { encryptionMetadata: update }: Shape<'UpdateDocument'>,
): EncryptionMetadata {
  if (!update) return current;
  const after = rewrapped(current, update);
  const names = Object.keys({ ...current, ...after });
  return names.some((name) => current[name] !== after[name]) ? after : current;
}

/** A document in an event: without its content and most of its encryption metadata. */
function emitDocument(
  state: State,
  principal: Actor,
  event: {
    readonly type: 'document.uploaded' | 'document.updated';
    readonly document: DocumentRecord;
    readonly changes?: readonly string[];
    readonly previous?: Partial<DocumentRecord>;
  },
): void {
  const { type, document, previous, changes } = event;
  const { contentUrl: _, ...object } = summarised(presentDocument(document));
  const { userId } = document;
  const changed = previous && { changes, previous: summarised(previous) };
  emit(state, { type, userId, principal, object, ...changed });
}

/** Leaves only the method of the encryption metadata. */
function summarised<Shown extends Partial<Document>>(document: Shown): Shown {
  if (!document.encryptionMetadata) return document;
  const { algorithm, keyDerivation } = document.encryptionMetadata;
  const encryptionMetadata = { algorithm, ...(keyDerivation !== undefined && { keyDerivation }) };
  return { ...document, encryptionMetadata };
}

function move(state: State, document: DocumentRecord, to: Vault): void {
  requireActive(to);
  requireSameAccount(document, to);
  refuseBeyondQuota(state, to, { bytes: document.sizeBytes, field: 'vaultId' });
  const from = state.tables.vaults.get(document.vaultId);
  if (from) count(from, -1, -document.sizeBytes);
  count(to, 1, document.sizeBytes);
}

function count(vault: Vault, documents: number, bytes: number): void {
  vault.documentCount += documents;
  vault.totalSize += bytes;
}
