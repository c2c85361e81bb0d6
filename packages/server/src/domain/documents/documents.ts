import { type Diff, diffOf } from '../../generated/rules/changes.ts';
import {
  requireActive,
  requireDecodedLength,
  requireSameAccount,
  withoutDerivation,
} from '../../generated/rules/documents.ts';
import { notFound, ServiceError } from '../../generated/rules/errors.ts';
import { requireRewrapped } from '../../generated/rules/keys.ts';
import {
  isMadeBy,
  requireFinished,
  rewrapped,
  uploadPartBytes,
  usedId,
} from '../../generated/rules/uploads.ts';
import type { ContentErrorCode, Contents, ReadyContent } from '../../store/contents/contents.ts';
import type { DocumentFilter, DocumentRecord } from '../../store/rows/documents/documents.ts';
import type { UploadRecord } from '../../store/rows/documents/uploads.ts';
import type { VaultRecord } from '../../store/rows/documents/vaults.ts';
import type { Repositories } from '../../store/store.ts';
import {
  hasScope,
  isVisible,
  type OfAccount,
  ownerOfRows,
  requireSortable,
  requireVisible,
  visibleOf,
} from '../access.ts';
import type { Actor, WithCommitHook } from '../actor.ts';
import { accountOf } from '../events.ts';
import type { Quotas, QuotaUsage } from '../limits/quotas.ts';
import { idsOf, inOrder, type ListQuery, type Page, toPage, toPages } from '../pages.ts';
import { type Shape, timestamp } from '../shapes.ts';
import { type Emit, RejectedAndRecorded, type ServiceOptions } from '../unit-of-work.ts';
import { findUpload, isContentError, requireUnused, uploadError } from './uploads.ts';
import { requireNewestKey } from './vault-keys.ts';
import { findVault } from './vaults.ts';

export type Document = Shape<'Document'>;

/** A document, with its ciphertext if the caller asked for it. */
export interface DocumentWithContent {
  readonly document: Document;
  /**
   * Opens the ciphertext, which is read on demand, so that a slow client does not keep the whole document in memory.
   * Null when it is too large for JSON, undefined when it was not asked for.
   *
   * @throws ServiceError NOT_FOUND when the document was deleted meanwhile; ContentError while it is read
   */
  readonly read?: (() => Promise<AsyncIterable<Buffer>>) | null;
}

/** Code of the ContentError when a document is deleted while it is sent. */
export const deletedMeanwhile: ContentErrorCode = 'DOCUMENT_DELETED';

/** Code of the ContentError while the object store does not respond. */
export const contentsUnavailable: ContentErrorCode = 'CONTENTS_UNAVAILABLE';

export interface DocumentQuery extends ListQuery<DocumentFilter['sortBy']>, OfAccount {
  readonly vaultId?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly search?: string | undefined;
}

/** What an update can change. */
const changeable = ['vaultId', 'fileName', 'mimeType', 'encryptionMetadata'] as const;

/** Deleting as many takes a few milliseconds. */
const sharesPerStep = 500;

/** A document that a request asks to store. */
interface Upload {
  readonly tx: Repositories;
  readonly emit: Emit;
  readonly actor: Actor;
  readonly input: Shape<'CreateDocument'>;
  /** The open upload that has its content; undefined for content in the request. */
  readonly open?: UploadRecord;
}

export interface DocumentsOptions extends ServiceOptions {
  readonly contents: Contents;
  readonly quotas: Quotas;
  /** Maximum ciphertext size in bytes, decoded. */
  readonly maxDocumentBytes: number;
}

export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments(options: DocumentsOptions) {
  const { store, contents, work, clock, ids, quotas, accountLimits, maxDocumentBytes } = options;

  async function list(actor: Actor, query: DocumentQuery): Promise<Page<Document>> {
    return listOf(ownerOfRows(actor, query), query);
  }

  /** @param userId null for all accounts */
  async function listOf(userId: string | null, query: DocumentQuery): Promise<Page<Document>> {
    const { sortBy, vaultId } = query;
    if (vaultId === undefined) {
      await requireSortable(userId, store, { rows: 'documents', sortBy, indexed: 'uploadedAt' });
    }
    const rows = await store.documents.list({ ...inOrder(query), userId });
    return toPage(rows, query, presentDocument);
  }

  /** Returns a page per vault, which is empty for a vault that was deleted meanwhile. */
  async function listOfEach(
    actor: Actor,
    vaultIds: readonly string[],
    query: Omit<DocumentQuery, 'vaultId' | 'account'>,
  ): Promise<Page<Document>[]> {
    const vaults = visibleOf(actor, await store.vaults.findMany(vaultIds));
    const lists = await store.documents.listOfEach(idsOf(vaults), inOrder(query));
    if (lists) return toPages(vaultIds, lists, (rows) => toPage(rows, query, presentDocument));
    const owners = new Map(vaults.map(({ id, userId }) => [id, userId]));
    return Promise.all(
      vaultIds.map((vaultId) => listOf(owners.get(vaultId) ?? actor.userId, { ...query, vaultId })),
    );
  }

  /** @param decoded the bytes of `encryptedData`; undefined when they are not decoded yet */
  async function create(
    actor: WithCommitHook<Actor>,
    input: Shape<'CreateDocument'>,
    decoded?: Buffer,
  ): Promise<Document> {
    if (input.uploadId !== undefined) return finish(actor, input, input.uploadId);
    const content = decoded ?? Buffer.from(input.encryptedData ?? '', 'base64');
    requireDecodedLength(content.length, input.sizeBytes, maxDocumentBytes);
    const id = input.id ?? ids.resource();
    const isStaged = content.length > contents.stagedAbove && (await hasRoom(actor, input));
    const ready = isStaged ? await stage(actor, id, content) : contents.hold(id, content);
    try {
      return await work(actor, (tx, emit) => insert({ tx, emit, actor, input }, ready));
    } catch (error) {
      if (isStaged) await discard(actor, id, content.length);
      throw isContentError(error, 'CONTENT_EXISTS') ? usedId() : error;
    }
  }

  /**
   * Makes a document of an upload that has all of its parts. A repeated request returns the document that an earlier
   * one has made.
   *
   * @throws ServiceError NOT_FOUND, VALIDATION_ERROR: `sameVault`, `decodedLength`, `missingParts`
   */
  async function finish(
    actor: WithCommitHook<Actor>,
    input: Shape<'CreateDocument'>,
    id: string,
  ): Promise<Document> {
    try {
      return await finishOpen(actor, input, id);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
      const made = await store.documents.find(id);
      if (!made || !isVisible(actor, made) || !isMadeBy(made, input)) throw error;
      return presentDocument(made);
    }
  }

  async function finishOpen(
    actor: WithCommitHook<Actor>,
    input: Shape<'CreateDocument'>,
    id: string,
  ): Promise<Document> {
    const { sizeBytes, ...upload } = await findUpload(store, actor, { id, now: clock.now() });
    const parts = await contents.parts(store, id);
    requireFinished(
      { ...upload, sizeBytes },
      input,
      parts.map(({ part }) => part),
    );
    try {
      const ready = await contents.complete({ id, sizeBytes, partBytes: uploadPartBytes });
      return await work(actor, async (tx, emit) => {
        const open = await findUpload(tx, actor, { id, now: clock.now() });
        return insert({ tx, emit, actor, input, open }, ready);
      });
    } catch (error) {
      throw uploadError(error, id);
    }
  }

  async function insert(
    upload: Upload,
    ready: ReadyContent,
  ): Promise<Document | RejectedAndRecorded> {
    const { tx, emit, input, open } = upload;
    const target = await findTarget(upload);
    if (target instanceof RejectedAndRecorded) return target;
    const { vault, usage } = target;
    const bytes = input.sizeBytes;
    const now = clock.now();
    const document: DocumentRecord = {
      id: ready.id,
      vaultId: vault.id,
      userId: vault.userId,
      fileName: input.fileName,
      mimeType: input.mimeType,
      sizeBytes: bytes,
      encryptionMetadata: input.encryptionMetadata,
      content: await contents.take(tx, ready),
      uploadedAt: now,
      updatedAt: now,
    };
    if (open) await tx.uploads.delete(open.id);
    await tx.documents.insert(document);
    await emit({ type: 'document.uploaded', ...accountOf(vault), object: eventObject(document) });
    await quotas.count(tx, emit, usage, { documents: 1, bytes, field: contentField(upload) });
    return presentDocument(document);
  }

  /**
   * Returns the vault of a new document with its usage, or the rejection by the quota of the vault.
   *
   * @throws ServiceError NOT_FOUND, VALIDATION_ERROR: an inactive vault, an old key, a limit of the account
   */
  async function findTarget(upload: Upload) {
    const { tx, emit, actor, input, open } = upload;
    const field = contentField(upload);
    const vault = requireActive(await findVault(tx, actor, input.vaultId));
    await requireNewestKey(tx, vault.id, input.encryptionMetadata);
    await requireUnused(tx, input.id);
    const usage = withoutReservation(await quotas.usage(tx, vault), open);
    const refusal = await quotas.refuseUpload(emit, usage, {
      bytes: input.sizeBytes,
      field,
    });
    if (refusal) return refusal;
    accountLimits.refuseDocument(
      { tier: usage.tier, bytes: usage.accountBytes, documents: usage.accountDocuments },
      { bytes: input.sizeBytes + describedBytes(input), field },
    );
    return { vault, usage };
  }

  /** Whether a document would be accepted now. Otherwise its content need not be written. */
  async function hasRoom(actor: Actor, input: Shape<'CreateDocument'>): Promise<boolean> {
    try {
      const target = await findTarget({ tx: store, emit: async () => undefined, actor, input });
      return !(target instanceof RejectedAndRecorded);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return false;
    }
  }

  async function stage(actor: Actor, id: string, content: Buffer): Promise<ReadyContent> {
    try {
      return await contents.stage(id, content);
    } catch (error) {
      // The content of this id belongs to another request, or to a document.
      if (isContentError(error, 'CONTENT_EXISTS')) throw usedId();
      await discard(actor, id, content.length);
      throw error;
    }
  }

  /** A failure is ignored: a content without document expires by itself. */
  async function discard({ userId }: Actor, id: string, bytes: number): Promise<void> {
    await store
      .transaction((tx) => contents.discard(tx, id, { userId, bytes }))
      .catch(() => undefined);
  }

  async function get(actor: Actor, id: string): Promise<DocumentWithContent> {
    return withContent(contents, await findDocument(store, actor, id), maxDocumentBytes);
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
        encryptionMetadata: input.encryptionMetadata
          ? rewrapped(before.encryptionMetadata, input.encryptionMetadata)
          : before.encryptionMetadata,
        updatedAt: clock.now(),
      };
      const changed = diffOf(before, after, changeable);
      if (!changed) return presentChanged(actor, before);

      const vault = await findVault(tx, actor, after.vaultId);
      if (input.encryptionMetadata) await requireNewestKey(tx, vault.id, after.encryptionMetadata);
      if (after.vaultId !== before.vaultId) {
        requireRewrapped(before.encryptionMetadata, input.encryptionMetadata);
        const refusal = await move(tx, emit, before, vault);
        if (refusal) return refusal;
      }
      await accountLimits.refuseGrowth(tx, after.userId, () => tx.documents.save(after), {
        storesEvent: true,
      });
      await emit({
        type: 'document.updated',
        ...accountOf(vault),
        object: eventObject(after),
        ...eventChanges(changed),
      });
      return presentChanged(actor, after);
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
        ...accountOf(vault),
        object: { id, vaultId: document.vaultId },
      });
    });
  }

  /**
   * Removes the shares of a document in small transactions until the last `sharesPerStep` are left. All of
   * 100,000 shares in the transaction of the document would block other requests for more than a second.
   */
  async function removeManyShares(actor: WithCommitHook<Actor>, id: string): Promise<void> {
    const { beforeCommit: _, ...sender } = actor;
    while (await store.shares.hasMoreThan(sharesPerStep, id)) {
      await work(sender, async (tx) => {
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
  ): Promise<RejectedAndRecorded | undefined> {
    requireActive(to);
    requireSameAccount(document, to);
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

export function presentDocument(document: DocumentRecord): Document {
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
    contentUrl: `/api/v1/documents/${document.id}/content`,
  };
}

/** Returns a changed document. Credentials that may not read documents get no more than the key of a link needs. */
function presentChanged(actor: Actor, document: DocumentRecord): Document {
  const presented = presentDocument(document);
  return hasScope(actor, 'documents:read') ? presented : withoutDerivation(presented);
}

/** @param maxBytes a larger content is not returned */
export function withContent(
  contents: Contents,
  document: DocumentRecord,
  maxBytes: number,
): DocumentWithContent {
  const isTooLarge = document.sizeBytes > maxBytes;
  const read = isTooLarge ? null : () => openContent(contents, document);
  return { document: presentDocument(document), read };
}

/** @throws ServiceError NOT_FOUND when the document was deleted after it was read */
async function openContent(contents: Contents, document: DocumentRecord) {
  const { id, sizeBytes } = document;
  try {
    return await contents.read(document, { from: 0, to: sizeBytes });
  } catch (error) {
    if (!isContentError(error, deletedMeanwhile)) throw error;
    throw notFound('document', { documentId: id });
  }
}

/** The document as events show it: the encryption method, and nothing that decryption needs. */
function eventObject(document: DocumentRecord) {
  const { contentUrl: _, ...described } = presentDocument(document);
  return { ...described, encryptionMetadata: encryptionSummary(document) };
}

function encryptionSummary({ encryptionMetadata }: Pick<DocumentRecord, 'encryptionMetadata'>) {
  const { algorithm, keyDerivation } = encryptionMetadata as Document['encryptionMetadata'];
  return { algorithm, ...(keyDerivation !== undefined && { keyDerivation }) };
}

/** What an update has changed, as events show it. */
function eventChanges({ changes, previous }: Diff<DocumentRecord>) {
  const { encryptionMetadata, ...others } = previous;
  const summary = encryptionMetadata && encryptionSummary({ encryptionMetadata });
  return { changes, previous: { ...others, ...(summary && { encryptionMetadata: summary }) } };
}

/** The usage without what the upload has reserved, which becomes the document. */
function withoutReservation(usage: QuotaUsage, open: UploadRecord | undefined): QuotaUsage {
  const { sizeBytes } = open ?? { sizeBytes: 0 };
  return {
    ...usage,
    accountBytes: usage.accountBytes - sizeBytes,
    reservedBytes: usage.reservedBytes - sizeBytes,
  };
}

/** Returns the field of the request that stands for the content, for errors about its size. */
function contentField({ open }: Pick<Upload, 'open'>): string {
  return open ? 'uploadId' : 'encryptedData';
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
