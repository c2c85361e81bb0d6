import { requireActive } from '../../generated/rules/documents.ts';
import { notFound } from '../../generated/rules/errors.ts';
import {
  parsePartNumber,
  partLength,
  partsMissing,
  sha256Of,
  uploadLifetime,
  uploadPartBytes,
  uploadTooLarge,
  usedId,
  wrongDigest,
  wrongPartLength,
} from '../../generated/rules/uploads.ts';
import type { ContentError, Contents, StoredPart } from '../../store/contents/contents.ts';
import type { UploadRecord } from '../../store/rows/documents/uploads.ts';
import type { Repositories } from '../../store/store.ts';
import { requireLiveCredentials, requireVisible } from '../access.ts';
import type { Actor, WithCommitHook } from '../actor.ts';
import type { Quotas } from '../limits/quotas.ts';
import { type Shape, timestamp } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { findVault } from './vaults.ts';

export type Upload = Shape<'Upload'>;

export interface UploadsOptions extends ServiceOptions {
  readonly contents: Contents;
  readonly quotas: Quotas;
  /** Maximum size of a document that is sent in parts, in bytes. */
  readonly maxDocumentBytes: number;
}

/** A part as a request sends it. */
export interface SentPart {
  /** Its number, as text of the path. */
  readonly part: string;
  /** The header Content-Digest, which the contract's pattern allows. */
  readonly contentDigest: string | undefined;
  readonly body: {
    /** Undefined: not known before the end. */
    readonly declared: number | undefined;
    read(): AsyncIterable<Uint8Array>;
  };
}

/** Milliseconds after its expiry in which an upload is removed with its content. */
const erasingMargin = 60 * 60 * 1000;

export type Uploads = ReturnType<typeof createUploads>;

/** Contents that are sent in parts, before they become documents. */
export function createUploads(options: UploadsOptions) {
  const { store, contents, work, clock, ids, quotas, accountLimits, maxDocumentBytes } = options;

  async function create(
    actor: WithCommitHook<Actor>,
    input: Shape<'CreateUpload'>,
  ): Promise<Upload> {
    const bytes = input.sizeBytes;
    if (bytes > maxDocumentBytes) throw uploadTooLarge(maxDocumentBytes);
    return work(actor, async (tx, emit) => {
      const vault = requireActive(await findVault(tx, actor, input.vaultId));
      await requireUnused(tx, input.id);
      const usage = await quotas.usage(tx, vault);
      const refusal = await quotas.refuseUpload(emit, usage, { bytes, field: 'sizeBytes' });
      if (refusal) return refusal;
      accountLimits.refuseUpload(
        { tier: usage.tier, bytes: usage.accountBytes, uploads: usage.accountUploads },
        bytes,
      );
      const now = clock.now();
      const upload: UploadRecord = {
        id: input.id ?? ids.resource(),
        vaultId: vault.id,
        userId: vault.userId,
        sizeBytes: bytes,
        createdAt: now,
        expiresAt: now + uploadLifetime,
      };
      await tx.uploads.insert(upload);
      await open(tx, upload);
      return presentUpload(upload, []);
    });
  }

  /** Opens the content of a new upload for its parts. */
  async function open(tx: Repositories, { id, sizeBytes, expiresAt }: UploadRecord) {
    const until = expiresAt + erasingMargin;
    try {
      await contents.begin(tx, { id, sizeBytes, partBytes: uploadPartBytes, until });
    } catch (error) {
      throw uploadError(error, id);
    }
  }

  async function get(actor: Actor, id: string): Promise<Upload> {
    const upload = await findUpload(store, actor, { id, now: clock.now() });
    return presentUpload(upload, await contents.parts(store, id));
  }

  /**
   * Stores a part while it arrives. Before any of its bytes is read, the upload, the number and the announced
   * length are checked. Before the part counts, the credentials and the upload are checked again: a client can
   * delay the last byte for a long time.
   *
   * @returns whether it is the first part of its number
   */
  async function writePart(actor: Actor, id: string, sent: SentPart): Promise<boolean> {
    const upload = await findUpload(store, actor, { id, now: clock.now() });
    const part = parsePartNumber(sent.part, upload.sizeBytes);
    const bytes = partLength(upload.sizeBytes, part);
    const { declared } = sent.body;
    if (declared !== undefined && declared !== bytes) throw wrongPartLength(part, bytes);
    accountLimits.refuseFullDisk();
    const accept = async (tx: Repositories) => {
      await requireLiveCredentials(tx, actor, clock.now());
      await findUpload(tx, actor, { id, now: clock.now() });
    };
    const sha256 = announcedDigest(sent);
    try {
      const written = await contents.writePart(
        { id, part, bytes, sha256, accept },
        sent.body.read(),
      );
      return written.isFirst;
    } catch (error) {
      if (isContentError(error, 'PART_LENGTH')) throw wrongPartLength(part, bytes);
      throw uploadError(error, id);
    }
  }

  async function remove(actor: WithCommitHook<Actor>, id: string): Promise<void> {
    await work(actor, async (tx) => {
      await findUpload(tx, actor, { id, now: clock.now() });
      await discard(tx, id);
    });
  }

  /** Frees the bytes of an upload, and lets the sweeper erase them. */
  async function discard(tx: Repositories, id: string): Promise<void> {
    await tx.uploads.delete(id);
    await contents.discard(tx, id);
  }

  /**
   * Removes uploads that have expired. A step of the sweeper.
   *
   * @returns the number of removed uploads
   */
  function expire(limit: number): Promise<number> {
    return store.transaction(async (tx) => {
      const expired = await tx.uploads.expired({ now: clock.now(), limit });
      for (const id of expired) await discard(tx, id);
      return expired.length;
    });
  }

  return { create, get, writePart, remove, expire };
}

/**
 * Returns an open upload if the actor may see it.
 *
 * @throws ServiceError NOT_FOUND, also for one that has expired and is not removed yet
 */
export async function findUpload(
  repositories: Repositories,
  actor: Actor,
  { id, now }: { readonly id: string; readonly now: number },
): Promise<UploadRecord> {
  const upload = await repositories.uploads.find(id);
  const found = requireVisible(actor, upload, 'upload', { uploadId: id });
  if (found.expiresAt <= now) throw notFound('upload', { uploadId: id });
  return found;
}

/**
 * Rejects an id of a client that was used before, also by another account or by a deleted document.
 *
 * @throws ServiceError VALIDATION_ERROR, `unique`
 */
export async function requireUnused(
  { uploads }: Pick<Repositories, 'uploads'>,
  id: string | undefined,
): Promise<void> {
  if (id === undefined || !(await uploads.isUsed(id))) return;
  throw usedId();
}

/** Compared by name, because the domain knows the store as types only. */
export function isContentError(error: unknown, code: ContentError['code']): error is ContentError {
  return (
    error instanceof Error &&
    error.name === 'ContentError' &&
    'code' in error &&
    error.code === code
  );
}

/** Returns the error of the catalogue for a failure of the contents; others as they are. */
export function uploadError(error: unknown, uploadId: string): unknown {
  if (isContentError(error, 'PART_DIGEST')) return wrongDigest();
  if (isContentError(error, 'PARTS_MISSING')) return partsMissing(error.parts);
  if (isContentError(error, 'CONTENT_NOT_PENDING')) return notFound('upload', { uploadId });
  if (isContentError(error, 'CONTENT_EXISTS')) return usedId();
  return error;
}

function announcedDigest({ contentDigest }: SentPart): Buffer | undefined {
  const base64 = contentDigest === undefined ? undefined : sha256Of(contentDigest);
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

function presentUpload(upload: UploadRecord, parts: readonly StoredPart[]): Upload {
  return {
    id: upload.id,
    vaultId: upload.vaultId,
    sizeBytes: upload.sizeBytes,
    partBytes: uploadPartBytes,
    parts: parts.map(({ part, bytes, sha256 }) => ({
      part,
      sizeBytes: bytes,
      sha256: sha256.toString('base64'),
    })),
    expiresAt: timestamp(upload.expiresAt),
  };
}
