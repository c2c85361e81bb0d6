import type { Clock } from '../../clock.ts';
import { notFound, ServiceError, violation } from '../../errors.ts';
import type { Ids } from '../../ids.ts';
import type { DocumentFilter, DocumentRecord } from '../../store/repositories/documents.ts';
import type { VaultRecord } from '../../store/repositories/vaults.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { requireSortable, requireVisible, visibleOfEach, visibleOwner } from '../access.ts';
import type { Actor, WithCommitHook } from '../actor.ts';
import { diffOf } from '../events.ts';
import type { AccountLimits } from '../limits/account-limits.ts';
import type { Quotas } from '../limits/quotas.ts';
import { idsOf, inOrder, type ListQuery, type Page, toPage, toPages } from '../pages.ts';
import { type Shape, timestamp } from '../shapes.ts';
import { CommittedRejection, type Emit, type UnitOfWork } from '../unit-of-work.ts';
import { findVault, findVaults } from './vaults.ts';

export type Document = Shape<'Document'>;

/** A document with its ciphertext, decoded. */
export interface DocumentWithContent {
  readonly document: Document;
  /** The first part of the ciphertext; all of it for a small document. */
  readonly firstPart: Buffer;
  /**
   * Reads the other parts on demand, so that a slow client does not keep the whole document in memory.
   *
   * @throws Error with the code `deletedMeanwhile`
   */
  otherParts(): AsyncGenerator<Buffer>;
}

/** Error code when a document is deleted while it is sent. */
export const deletedMeanwhile = 'DOCUMENT_DELETED';

export interface DocumentQuery extends ListQuery<DocumentFilter['sortBy']> {
  readonly vaultId?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly search?: string | undefined;
}

/** A larger content is stored in steps. */
const stagedBytes = 4 * 1024 * 1024;

/** Maximum milliseconds between two steps of storing a content. */
const stagingMs = 10 * 60 * 1000;

/** Deleting as many takes a few milliseconds. */
const sharesPerStep = 500;

/** A document that a request asks to store. */
interface Upload {
  readonly tx: Repositories;
  readonly emit: Emit;
  readonly actor: Actor;
  readonly input: Shape<'CreateDocument'>;
}

export interface DocumentsOptions {
  readonly store: Store;
  readonly work: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly quotas: Quotas;
  readonly accountLimits: AccountLimits;
  /** Maximum ciphertext size in bytes, decoded. */
  readonly maxDocumentBytes: number;
}

export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments(options: DocumentsOptions) {
  const { store, work, clock, ids, quotas, accountLimits, maxDocumentBytes } = options;

  async function list(actor: Actor, query: DocumentQuery): Promise<Page<Document>> {
    const { sortBy, vaultId } = query;
    if (vaultId === undefined) {
      await requireSortable(actor, store, { rows: 'documents', sortBy, indexed: 'uploadedAt' });
    }
    const rows = await store.documents.list({
      ...inOrder(query),
      userId: visibleOwner(actor),
    });
    return toPage(rows, query, presentDocument);
  }

  /** Returns a page per vault, or the error of a vault. */
  async function listOfEach(
    actor: Actor,
    vaultIds: readonly string[],
    query: Omit<DocumentQuery, 'vaultId'>,
  ): Promise<(Page<Document> | ServiceError)[]> {
    const vaults = await findVaults(store, actor, vaultIds);
    const lists = await store.documents.listOfEach(idsOf(vaults), inOrder(query));
    if (lists) return toPages(vaults, lists, (rows) => toPage(rows, query, presentDocument));
    const pages = vaults.map((vault) =>
      'id' in vault ? list(actor, { ...query, vaultId: vault.id }) : vault,
    );
    return Promise.all(pages);
  }

  /** @param decoded the bytes of `encryptedData`; undefined when they are not decoded yet */
  async function create(
    actor: WithCommitHook<Actor>,
    input: Shape<'CreateDocument'>,
    decoded?: Buffer,
  ): Promise<Document> {
    const content = decoded ?? Buffer.from(input.encryptedData, 'base64');
    checkContent(content, input, maxDocumentBytes);
    const id = ids.resource();
    const isStaged = content.length > stagedBytes && (await hasRoom(actor, input));
    if (!isStaged) return insert(actor, input, { id, content });
    try {
      await stage(id, content);
      return await insert(actor, input, { id, content: undefined });
    } catch (error) {
      // A failure is ignored: the content expires by itself, ten minutes later.
      await store.transaction((tx) => tx.documents.discard(id)).catch(() => undefined);
      throw error;
    }
  }

  /** @param content undefined: all of it was staged */
  function insert(
    actor: WithCommitHook<Actor>,
    input: Shape<'CreateDocument'>,
    { id, content }: { readonly id: string; readonly content: Buffer | undefined },
  ): Promise<Document> {
    return work(actor, async (tx, emit) => {
      const target = await findTarget({ tx, emit, actor, input });
      if (target instanceof CommittedRejection) return target;
      const { vault, usage } = target;
      const bytes = input.sizeBytes;
      const now = clock.now();
      const document: DocumentRecord = {
        id,
        vaultId: vault.id,
        userId: vault.userId,
        fileName: input.fileName,
        mimeType: input.mimeType,
        sizeBytes: bytes,
        encryptionMetadata: input.encryptionMetadata,
        uploadedAt: now,
        updatedAt: now,
      };
      await tx.documents.insert(document, content);
      await emit({ type: 'document.uploaded', owner: vault, object: eventObject(document) });
      await quotas.count(tx, emit, usage, { documents: 1, bytes });
      return presentDocument(document);
    });
  }

  /**
   * Returns the vault of a new document with its usage, or the rejection by the quota of the vault.
   *
   * @throws ServiceError NOT_FOUND, VALIDATION_ERROR: an inactive vault, a limit of the account
   */
  async function findTarget({ tx, emit, actor, input }: Upload) {
    const vault = acceptsDocuments(await findVault(tx, actor, input.vaultId));
    const usage = await quotas.usage(tx, vault);
    const refusal = await quotas.refuseUpload(emit, usage, input.sizeBytes);
    if (refusal) return refusal;
    accountLimits.refuseDocument(
      { tier: usage.tier, bytes: usage.accountBytes, documents: usage.accountDocuments },
      input.sizeBytes + describedBytes(input),
    );
    return { vault, usage };
  }

  /** Whether a document would be accepted now. Otherwise its content need not be written. */
  async function hasRoom(actor: Actor, input: Shape<'CreateDocument'>): Promise<boolean> {
    try {
      const target = await findTarget({ tx: store, emit: async () => undefined, actor, input });
      return !(target instanceof CommittedRejection);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return false;
    }
  }

  /**
   * Stores a large content before its document, in transactions of 2 MiB. One transaction of 32 MiB would
   * block other requests for hundreds of milliseconds.
   */
  async function stage(documentId: string, content: Buffer): Promise<void> {
    for (let from = 0; from < content.length; ) {
      const staged = { documentId, content, from, until: clock.now() + stagingMs };
      from = await store.transaction((tx) => tx.documents.stage(staged));
    }
  }

  async function get(actor: Actor, id: string): Promise<DocumentWithContent> {
    return withContent(store, await findDocument(store, actor, id));
  }

  /** Returns the document without its ciphertext. */
  async function describe(actor: Actor, id: string): Promise<Document> {
    return presentDocument(await findDocument(store, actor, id));
  }

  function update(
    actor: WithCommitHook<Actor>,
    id: string,
    input: Shape<'UpdateDocument'>,
  ): Promise<Document> {
    return work(actor, async (tx, emit) => {
      const before = await findDocument(tx, actor, id);
      const after: DocumentRecord = {
        ...before,
        vaultId: input.vaultId ?? before.vaultId,
        fileName: input.fileName ?? before.fileName,
        mimeType: input.mimeType ?? before.mimeType,
        updatedAt: clock.now(),
      };
      const changed = diffOf(before, after, ['vaultId', 'fileName', 'mimeType']);
      if (!changed) return presentDocument(before);

      const vault = await findVault(tx, actor, after.vaultId);
      if (after.vaultId !== before.vaultId) {
        const refusal = await move(tx, emit, before, vault);
        if (refusal) return refusal;
      }
      await accountLimits.refuseGrowth(tx, after.userId, () => tx.documents.save(after));
      await emit({
        type: 'document.updated',
        owner: vault,
        object: eventObject(after),
        ...changed,
      });
      return presentDocument(after);
    });
  }

  async function remove(actor: WithCommitHook<Actor>, id: string): Promise<void> {
    await removeManyShares(actor, id);
    await work(actor, async (tx, emit) => {
      const document = await findDocument(tx, actor, id);
      const vault = await findVault(tx, actor, document.vaultId);
      const usage = await quotas.usage(tx, vault);
      await tx.documents.delete(id);
      await quotas.count(tx, emit, usage, { documents: -1, bytes: -document.sizeBytes });
      await emit({
        type: 'document.deleted',
        owner: vault,
        object: { id, vaultId: document.vaultId },
      });
    });
  }

  /**
   * Removes the shares of a document in small transactions until the last `sharesPerStep` are left. All of
   * 100,000 shares in the transaction of the document would block other requests for more than a second.
   */
  async function removeManyShares(actor: WithCommitHook<Actor>, id: string): Promise<void> {
    const { beforeCommit: _, ...origin } = actor;
    while (await store.shares.hasMoreThan(sharesPerStep, id)) {
      await work(origin, async (tx) => {
        await findDocument(tx, actor, id);
        await tx.shares.removeSome(sharesPerStep, id);
      });
    }
  }

  async function move(
    tx: Repositories,
    emit: Emit,
    document: DocumentRecord,
    to: VaultRecord,
  ): Promise<CommittedRejection | undefined> {
    acceptsDocuments(to);
    if (to.userId !== document.userId) {
      throw violation('vaultId', 'sameAccount', 'A document moves within its own account only.');
    }
    const from = await tx.vaults.find(document.vaultId);
    if (!from) throw new Error(`document ${document.id} has no vault`);
    const target = await quotas.usage(tx, to);
    const bytes = document.sizeBytes;
    const refusal = await quotas.refuseMove(emit, target, bytes);
    if (refusal) return refusal;

    // Both vaults belong to one instance, so its used bytes stay the same.
    const source = await quotas.usage(tx, from);
    await quotas.warnVault(tx, emit, source, { documents: -1, bytes: -bytes });
    await quotas.warnVault(tx, emit, target, { documents: 1, bytes });
    return undefined;
  }

  return { list, listOfEach, create, get, describe, update, remove };
}

/**
 * Returns the document if the actor may see it.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function findDocument(
  repositories: Repositories,
  actor: Actor,
  documentId: string,
): Promise<DocumentRecord> {
  return requireVisible(actor, await repositories.documents.find(documentId), 'document', {
    documentId,
  });
}

/** Returns each document, or the error of its id. */
export async function findDocuments(
  repositories: Repositories,
  actor: Actor,
  ids: readonly string[],
): Promise<(DocumentRecord | ServiceError)[]> {
  const found = await repositories.documents.findMany(ids);
  return visibleOfEach(actor, found, { ids, kind: 'document', idName: 'documentId' });
}

function presentDocument(document: DocumentRecord): Document {
  return {
    id: document.id,
    vaultId: document.vaultId,
    fileName: document.fileName,
    sizeBytes: document.sizeBytes,
    mimeType: document.mimeType,
    // Validated on upload. Additional properties are stored unchanged.
    encryptionMetadata: document.encryptionMetadata as Document['encryptionMetadata'],
    uploadedAt: timestamp(document.uploadedAt),
    updatedAt: timestamp(document.updatedAt),
  };
}

export async function withContent(
  { documents }: Repositories,
  document: DocumentRecord,
): Promise<DocumentWithContent> {
  const { id, sizeBytes } = document;
  const firstPart = await documents.part(id, 0);
  // The document was deleted after its description was read.
  if (!firstPart) throw notFound('document', { documentId: id });
  async function* otherParts() {
    let read = firstPart?.length ?? 0;
    for (let number = 1; read < sizeBytes; number += 1) {
      const part = await documents.part(id, number);
      if (!part) {
        const message = `document ${id} was deleted while it was sent`;
        throw Object.assign(new Error(message), { code: deletedMeanwhile });
      }
      read += part.length;
      yield part;
    }
  }
  return { document: presentDocument(document), firstPart, otherParts };
}

/** The document as events show it: the encryption method, and nothing that decryption needs. */
function eventObject(document: DocumentRecord) {
  const { algorithm, keyDerivation } =
    document.encryptionMetadata as Document['encryptionMetadata'];
  return {
    ...presentDocument(document),
    encryptionMetadata: { algorithm, ...(keyDerivation !== undefined && { keyDerivation }) },
  };
}

/** Bytes of a document's name, type and metadata: `documents.held_bytes` without the content. */
function describedBytes(
  document: Pick<DocumentRecord, 'fileName' | 'mimeType' | 'encryptionMetadata'>,
): number {
  const { fileName, mimeType, encryptionMetadata } = document;
  return [fileName, mimeType, JSON.stringify(encryptionMetadata)]
    .map((text) => Buffer.byteLength(text))
    .reduce((sum, length) => sum + length, 0);
}

function checkContent(
  content: Buffer,
  input: Shape<'CreateDocument'>,
  maxDocumentBytes: number,
): void {
  if (content.length > maxDocumentBytes) {
    throw violation(
      'encryptedData',
      'maxDecodedLength',
      `encryptedData must be at most ${maxDocumentBytes} bytes when decoded.`,
    );
  }
  if (content.length !== input.sizeBytes) {
    throw violation(
      'sizeBytes',
      'decodedLength',
      `sizeBytes is ${input.sizeBytes}, but encryptedData decodes to ${content.length} bytes.`,
    );
  }
}

function acceptsDocuments(vault: VaultRecord): VaultRecord {
  if (!vault.isActive) {
    throw violation('vaultId', 'active', 'This vault is inactive and takes no documents.');
  }
  return vault;
}
