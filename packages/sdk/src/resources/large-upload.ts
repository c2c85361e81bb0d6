/** Uploads in parts. */

import type { Cipher } from '../crypto/cipher.ts';
import { requireDocument } from '../crypto/document-key.ts';
import type { Encryptor } from '../crypto/encryptor.ts';
import {
  type ErrorContext,
  NotFoundError,
  SourceChangedError,
  UsageError,
  VaultError,
} from '../errors.ts';
import type { Document, Upload, UploadPart } from '../generated/types.ts';
import type { StartedCall } from '../http/api.ts';
import type { RawResult } from '../http/api-result.ts';
import { withDeadline } from '../http/deadline.ts';
import type { PartBody } from '../http/upload-body.ts';
import { resolveLimits } from '../options.ts';
import { sendPart } from './binary.ts';
import {
  Checkpoints,
  type OnCheckpoint,
  requireAuthentic,
  resumedCheckpoint,
  type UploadCheckpoint,
} from './checkpoints.ts';
import type { UploadOptions } from './content.ts';
import { createDocument, type UploadOperations } from './create-document.ts';
import { PartEncryption } from './part-encryption.ts';
import { sentReporter } from './sent-progress.ts';
import type { UploadSource } from './upload-source.ts';

/** Options of an upload with the name and type of its document. */
export type NamedUpload = UploadOptions &
  StartedCall & { cipher: Cipher; fileName: string; mimeType: string };

/** Requests of an upload in parts are retried so many times as often as others. */
const retryFactor = 4;

/** More parts in flight hardly fill a connection better, and each takes memory on both sides. */
const partsInFlight = 3;

/** The sizes of parts that a client accepts from a service: each part in flight is held in memory. */
const partSizes = { min: 64 * 1024, max: 64 * 1024 * 1024 };

/** An upload that the service knows. */
interface RunningUpload {
  readonly operations: UploadOperations;
  readonly options: NamedUpload;
  readonly source: UploadSource;
  readonly encryptor: Encryptor;
  readonly upload: Upload;
  readonly checkpoints: Checkpoints;
  /** Whether the source is a file that was not modified since the upload began. */
  readonly isSameFile: boolean;
}

/** An encrypted part. */
interface EncryptedPart {
  readonly part: number;
  readonly body: PartBody;
  readonly sha256: string;
}

/**
 * Encrypts a source and uploads it in parts.
 *
 * @throws UsageError, SourceChangedError, and the errors of the operations
 */
export async function uploadInParts(
  source: UploadSource,
  options: NamedUpload,
  { operations, context }: { operations: UploadOperations; context: ErrorContext },
): Promise<RawResult<Document>> {
  const { signal, onCheckpoint, resume } = options;
  const { totalTimeout } = resolveLimits(options, operations.transport.settings);
  // One failure ends the parts in flight and the reading.
  const controller = new AbortController();
  const store = storeOf(onCheckpoint, controller.signal);
  // To lose an upload costs more than to wait for the network.
  const { maxRetries = retryFactor * operations.transport.settings.maxRetries } = options;
  const inner = {
    ...options,
    maxRetries,
    signal: controller.signal,
    onCheckpoint: store.onCheckpoint,
  };
  let encryptor: Encryptor | undefined;
  try {
    return await withDeadline({ signal, timeoutMs: totalTimeout, context }, async () => {
      try {
        encryptor = await encryptorOf(source, inner);
        const prepared = { operations, options: inner, source, encryptor };
        return await (resume ? continueUpload(prepared, resume) : beginUpload(prepared));
      } catch (error) {
        controller.abort(error);
        // The caller may remove the checkpoint next.
        await store.settled();
        throw error;
      }
    });
  } catch (error) {
    controller.abort(error);
    source.close(error);
    // Without a checkpoint, no one can continue the upload.
    if (encryptor && (signal?.aborted || !(onCheckpoint || resume))) {
      // Nothing waits for it: what it fails to remove expires.
      operations.uploads.delete(encryptor.id, begunOf(options)).catch(() => {});
    }
    throw error;
  }
}

/** Calls `onCheckpoint` until `signal` is aborted. */
function storeOf(onCheckpoint: OnCheckpoint, signal: AbortSignal) {
  let storing: unknown;
  return {
    onCheckpoint:
      onCheckpoint &&
      ((checkpoint: UploadCheckpoint) => {
        signal.throwIfAborted();
        const stored = onCheckpoint(checkpoint);
        storing = stored;
        return stored;
      }),
    /** Resolves when the last call has ended. */
    async settled(): Promise<void> {
      await Promise.resolve(storing).catch(() => {});
    },
  };
}

/** The session generation of an upload, for a call without its signal and timeouts. */
function begunOf({ generation }: NamedUpload): StartedCall {
  return generation ? { generation } : {};
}

/** @throws DecryptionError for a changed checkpoint, and SourceChangedError when the source is not the one of it */
async function encryptorOf(source: UploadSource, options: NamedUpload): Promise<Encryptor> {
  const { cipher, resume, vaultId, fileName, mimeType, encryptFileName = false } = options;
  const { size, rereadable } = source;
  if (!resume) return cipher.encryptor({ fileName, mimeType, size, encryptFileName });
  if (!rereadable)
    throw new UsageError('A stream cannot be read again: resume with a file, a Blob or bytes');
  const checkpoint = resumedCheckpoint(resume, vaultId);
  const { encryption, lastModified } = checkpoint;
  const encryptor = await cipher.resumeEncryptor(encryption);
  await requireAuthentic(checkpoint, encryptor);
  // Digests show changes of parts that were sent, the time shows them for the others too.
  if (encryption.size !== size || (lastModified ?? source.lastModified) !== source.lastModified) {
    throw new SourceChangedError('The source has changed since the upload began');
  }
  return encryptor;
}

type PreparedUpload = Pick<RunningUpload, 'operations' | 'options' | 'source' | 'encryptor'>;

async function beginUpload(prepared: PreparedUpload): Promise<RawResult<Document>> {
  const { operations, options, source, encryptor } = prepared;
  const { vaultId, onCheckpoint } = options;
  const { id, sizeBytes } = encryptor;
  const upload = await operations.uploads.create({ id, vaultId, sizeBytes }, options);
  const { partBytes } = requirePlausible(upload, encryptor);
  const checkpoints = new Checkpoints(
    {
      uploadId: id,
      vaultId,
      partBytes,
      lastModified: source.lastModified ?? null,
      encryption: encryptor.state,
      parts: [],
    },
    encryptor,
    onCheckpoint,
  );
  await checkpoints.save();
  return finishUpload({ ...prepared, upload, checkpoints, isSameFile: true });
}

/** Continues an upload, or returns its document when only the response was lost. */
async function continueUpload(
  prepared: PreparedUpload,
  resume: UploadCheckpoint,
): Promise<RawResult<Document>> {
  const { operations, options, encryptor } = prepared;
  const { id } = encryptor;
  let upload: Upload;
  try {
    upload = requirePlausible(await operations.uploads.get(id, options), encryptor);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return finishedDocument(prepared, error);
  }
  if (upload.partBytes !== resume.partBytes) {
    throw new VaultError('The service has changed the size of parts: upload without resume');
  }
  const checkpoints = new Checkpoints(resume, encryptor, options.onCheckpoint);
  const isSameFile = resume.lastModified !== null;
  return finishUpload({ ...prepared, upload, checkpoints, isSameFile });
}

/** @throws NotFoundError when the upload has not become a document */
async function finishedDocument(
  { operations, options, encryptor }: PreparedUpload,
  missing: NotFoundError,
): Promise<RawResult<Document>> {
  try {
    const { data, response } = await operations.documents.get(encryptor.id, options).withResponse();
    const { encryptedData: _, ...document } = data;
    requireDocument(encryptor.id, document);
    return { data: document, response };
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw new NotFoundError(
      'The upload has expired or was given up: upload without resume',
      missing,
    );
  }
}

/**
 * Validates what the service decides.
 *
 * @throws VaultError
 */
function requirePlausible(upload: Upload, { id, sizeBytes }: Encryptor): Upload {
  const { partBytes } = upload;
  const isPartSize =
    Number.isInteger(partBytes) && partBytes >= partSizes.min && partBytes <= partSizes.max;
  if (upload.id === id && upload.sizeBytes === sizeBytes && isPartSize) return upload;
  throw new VaultError('The service returned another upload, or parts of an unsupported size');
}

/** Sends what is missing and creates the document. */
async function finishUpload(running: RunningUpload): Promise<RawResult<Document>> {
  const { operations, options, source, encryptor } = running;
  await sendParts(running);
  await source.finish();
  const { vaultId } = options;
  const document = { ...encryptor.fields(), uploadId: encryptor.id, vaultId };
  return createDocument(operations, document, options);
}

async function sendParts(running: RunningUpload): Promise<void> {
  const { operations, options, source, encryptor, upload, checkpoints } = running;
  const { signal, onProgress } = options;
  const reportLoaded = sentReporter(onProgress, source.size);
  /** Bytes of each part that have been sent. */
  const sent: number[] = [];
  for (const stored of upload.parts) {
    if (isStored(stored, checkpoints)) sent[stored.part] = stored.sizeBytes;
  }
  const report = async () => {
    signal?.throwIfAborted();
    const bytes = sent.reduce((sum, part) => sum + part, 0);
    // In bytes of the content: the ciphertext is a little longer.
    await reportLoaded(Math.floor((source.size * bytes) / encryptor.sizeBytes));
  };
  await report();
  const encryption = new PartEncryption(encryptor, source, operations.transport.settings.fetch);
  const parts = missingParts(running, encryption);
  const sendInTurn = async () => {
    for (let next = await parts.next(); !next.done; next = await parts.next()) {
      const { part, body, sha256 } = next.value;
      // Stored before it is sent: after a crash, other bytes of this part must never be.
      if (!checkpoints.sha256Of(part)) await checkpoints.add(part, sha256);
      const reportSent = (bytes: number) => {
        sent[part] = bytes;
        return report();
      };
      const onSent = onProgress && reportSent;
      await sendPart(operations.transport, { id: upload.id, part, body, sha256, onSent }, options);
      encryption.recycle(body);
      await reportSent(body.length);
    }
  };
  await Promise.all(Array.from({ length: partsInFlight }, sendInTurn));
}

/**
 * Encrypts the parts that the service does not have. After a resumption, it also encrypts parts that the
 * service has, to compare their digests: of an unmodified file the first one, with the sealed name, and the
 * last one, whose tag the document needs; of other sources all of them.
 *
 * @throws SourceChangedError when a part differs from the one that was sent
 */
async function* missingParts(
  { encryptor, upload, checkpoints, isSameFile, options }: RunningUpload,
  encryption: PartEncryption,
): AsyncGenerator<EncryptedPart, void> {
  const { partBytes } = upload;
  const reported = new Map(upload.parts.map(({ part, sha256 }) => [part, sha256]));
  const present = upload.parts.filter((part) => isStored(part, checkpoints));
  const stored = new Set(present.map(({ part }) => part));
  const last = Math.ceil(encryptor.sizeBytes / partBytes) - 1;
  for (let part = 0; part <= last; part++) {
    options.signal?.throwIfAborted();
    if (stored.has(part) && isSameFile && part > 0 && part < last) continue;
    const start = part * partBytes;
    const end = Math.min(start + partBytes, encryptor.sizeBytes);
    const { body, sha256 } = await encryption.encrypt(start, end);
    const sent = checkpoints.sha256Of(part) ?? reported.get(part);
    if (sent !== undefined && sent !== sha256) {
      throw new SourceChangedError('The source has changed since the upload began');
    }
    if (stored.has(part)) encryption.recycle(body);
    else yield { part, body, sha256 };
  }
}

/** Whether the service has a part as it was sent. */
function isStored({ part, sha256 }: UploadPart, checkpoints: Checkpoints): boolean {
  return sha256 === (checkpoints.sha256Of(part) ?? sha256);
}
