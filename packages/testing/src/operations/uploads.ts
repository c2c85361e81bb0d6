import type { CreateDocument, Upload } from '@document-vault/sdk';
import { type Actor, sees } from '../actor.ts';
import { requireActive } from '../generated/rules/documents.ts';
import { notFound } from '../generated/rules/errors.ts';
import {
  parsePartNumber,
  partLength,
  requireFinished,
  sha256Of,
  uploadLifetime,
  uploadPartBytes,
  uploadTooLarge,
  usedId,
  wrongDigest,
  wrongPartLength,
} from '../generated/rules/uploads.ts';
import type { Handlers } from '../handler.ts';
import { Reply } from '../responses.ts';
import { openUploads, type State, timestamp, type UploadRecord } from '../state.ts';
import { sha256 } from './contents.ts';
import { refuseBeyondQuota, refuseBytes, refuseExcess } from './limits.ts';
import { findVault } from './vaults.ts';

/** Size of the largest document: 16 GiB. */
const maxUploadBytes = 16 * 1024 ** 3;

export const uploadHandlers = {
  createUpload({ state, actor, body }) {
    const { vaultId, sizeBytes } = body;
    if (sizeBytes > maxUploadBytes) throw uploadTooLarge(maxUploadBytes);
    const vault = requireActive(findVault(state, actor, vaultId));
    const id = unusedId(state, body.id);
    const addition = { bytes: sizeBytes, field: 'sizeBytes' } as const;
    refuseBeyondQuota(state, vault, addition);
    refuseExcess(state, vault.userId, 'uploads');
    refuseBytes(state, vault.userId, addition);
    const upload: UploadRecord = {
      id,
      vaultId: vault.id,
      userId: vault.userId,
      sizeBytes,
      expiresAt: timestamp(state.now() + uploadLifetime),
      parts: new Map(),
    };
    state.tables.uploads.set(id, upload);
    state.tables.usedIds.set(id, true);
    return present(upload);
  },

  getUpload: ({ state, actor, path }) => present(findUpload(state, actor, path.id)),

  deleteUpload({ state, actor, path }) {
    state.tables.uploads.delete(findUpload(state, actor, path.id).id);
  },

  /** The first acceptance of a part counts towards no rate limit. */
  async uploadPart({ state, actor, path, headers, body: bytes }) {
    const { sizeBytes } = findUpload(state, actor, path.id);
    const number = parsePartNumber(path.part, sizeBytes);
    const length = partLength(sizeBytes, number);
    if (bytes.length !== length) throw wrongPartLength(number, length);
    const digest = await sha256(bytes);
    const announced = sha256Of(headers.get('content-digest') ?? '');
    if (announced !== undefined && announced !== digest) throw wrongDigest();
    // The upload may have ended meanwhile.
    const { parts } = findUpload(state, actor, path.id);
    const isCounted = parts.has(number);
    parts.set(number, { bytes, sha256: digest });
    return new Reply(204, { isCounted });
  },
} satisfies Partial<Handlers>;

/**
 * Returns the id that a client has made, or a new one.
 *
 * @throws ServiceError VALIDATION_ERROR when the id was ever used
 */
export function unusedId({ tables, ids }: State, id = ids.resource()): string {
  if (!tables.usedIds.has(id)) return id;
  throw usedId();
}

/** @throws ServiceError NOT_FOUND, also for an upload that has expired */
export function findUpload(state: State, actor: Actor, uploadId: string): UploadRecord {
  const upload = openUploads(state).find(({ id }) => id === uploadId);
  if (upload && sees(actor, upload)) return upload;
  throw notFound('upload', { uploadId });
}

/**
 * Returns the upload that becomes a document.
 *
 * @throws ServiceError NOT_FOUND, VALIDATION_ERROR
 */
export function finishedUpload(
  state: State,
  actor: Actor,
  document: CreateDocument & { readonly uploadId: string },
): UploadRecord {
  const upload = findUpload(state, actor, document.uploadId);
  requireFinished(upload, document, upload.parts.keys());
  return upload;
}

/** Returns the parts of an upload in the order of their numbers. */
export function partsInOrder({ parts }: UploadRecord) {
  return numbered(parts).map(([, part]) => part);
}

function numbered(parts: UploadRecord['parts']) {
  return [...parts].sort(([a], [b]) => a - b);
}

function present({ parts: arrived, userId: _, ...upload }: UploadRecord): Upload {
  const parts = numbered(arrived).map(([part, { bytes, sha256 }]) => ({
    part,
    sizeBytes: bytes.length,
    sha256,
  }));
  return { ...upload, partBytes: uploadPartBytes, parts };
}
