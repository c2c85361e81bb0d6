import type { Document, DocumentWithContent, Vault } from '../../generated/types.ts';
import { type Actor, sees, visible } from '../actor.ts';
import type { Shape } from '../contract.ts';
import { changesBetween, emit } from '../events.ts';
import { violation } from '../failure.ts';
import type { Handlers } from '../handler.ts';
import { contains, toPage } from '../listing.ts';
import { type DocumentRecord, timestamp, type World } from '../world.ts';
import { refuseExcess } from './account-limits.ts';
import { instanceOf, refuseBeyondQuota } from './quotas.ts';
import { findVault, removeDocument } from './vaults.ts';

/** The largest ciphertext, decoded: 32 MiB. */
const mostBytes = 32 * 1024 * 1024;

export const documentHandlers = {
  listDocuments({ world, actor, query }) {
    const { vaultId, mimeType, search } = query;
    const found = [...world.tables.documents.values()].filter(
      (document) =>
        sees(actor, document) &&
        (vaultId === undefined || document.vaultId === vaultId) &&
        (mimeType === undefined || document.mimeType === mimeType) &&
        contains(document.fileName, search),
    );
    return toPage(found, query, presentDocument);
  },

  createDocument({ world, actor, body }) {
    const bytes = decodedLength(body.encryptedData);
    refuseContent(body, bytes);
    const vault = acceptsDocuments(findVault(world, actor, body.vaultId));
    refuseBeyondQuota(world, vault, { bytes, field: 'encryptedData' });
    refuseExcess(world, vault.userId, 'documents');
    const uploadedAt = timestamp(world.now());
    const document: DocumentRecord = {
      id: world.ids.resource(),
      ...body,
      vaultId: vault.id,
      userId: vault.userId,
      uploadedAt,
      updatedAt: uploadedAt,
    };
    world.tables.documents.set(document.id, document);
    count(vault, 1, bytes);
    instanceOf(world, vault).usedBytes += bytes;
    tell(world, actor, { type: 'document.uploaded', document });
    return presentDocument(document);
  },

  getDocument: ({ world, actor, path }) => withContent(findDocument(world, actor, path.id)),

  updateDocument({ world, actor, path, body }) {
    const document = findDocument(world, actor, path.id);
    const changed = changesBetween(document, { ...document, ...body }, [
      'vaultId',
      'fileName',
      'mimeType',
    ]);
    if (!changed) return presentDocument(document);
    if (body.vaultId !== undefined && body.vaultId !== document.vaultId) {
      move(world, document, findVault(world, actor, body.vaultId));
    }
    Object.assign(document, body, { updatedAt: timestamp(world.now()) });
    tell(world, actor, { type: 'document.updated', document, ...changed });
    return presentDocument(document);
  },

  deleteDocument({ world, actor, path }) {
    const document = findDocument(world, actor, path.id);
    const { id, vaultId, userId, sizeBytes } = document;
    const vault = findVault(world, actor, vaultId);
    removeDocument(world, id);
    count(vault, -1, -sizeBytes);
    instanceOf(world, vault).usedBytes -= sizeBytes;
    const data = { object: { id, vaultId } };
    emit(world, { type: 'document.deleted', userId, visitor: actor, data });
  },
} satisfies Partial<Handlers>;

/** @throws Failure NOT_FOUND */
export function findDocument({ tables }: World, actor: Actor, documentId: string): DocumentRecord {
  return visible(actor, tables.documents.get(documentId), 'document', { documentId });
}

export function withContent({ userId: _, ...document }: DocumentRecord): DocumentWithContent {
  return { ...document };
}

function presentDocument({ encryptedData: _, userId: __, ...document }: DocumentRecord): Document {
  return document;
}

/** A document as events show it: of its encryption, only how. */
function tell(
  world: World,
  visitor: Actor,
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
  emit(world, { type, userId: document.userId, visitor, data: { object, ...changed } });
}

function move(world: World, document: DocumentRecord, to: Vault): void {
  acceptsDocuments(to);
  if (to.userId !== document.userId) {
    throw violation('vaultId', 'sameAccount', 'A document moves within its own account only.');
  }
  refuseBeyondQuota(world, to, { bytes: document.sizeBytes, field: 'vaultId' });
  const from = world.tables.vaults.get(document.vaultId);
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
  if (bytes > mostBytes) {
    throw violation(
      'encryptedData',
      'maxDecodedLength',
      `encryptedData must be at most ${mostBytes} bytes when decoded.`,
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
