import type { Encryptor, EncryptorState } from '../crypto/encryptor.ts';
import { DecryptionError, UsageError } from '../errors.ts';

/**
 * How far an upload in parts has come: JSON that continues it after the process or page has ended.
 * Contains no key, passphrase or content, and the file name only as the service gets it.
 */
export interface UploadCheckpoint {
  /** Id of the upload and of its document. */
  uploadId: string;
  /** The vault of the document. */
  vaultId: string;
  /** Bytes of every part except the last one. */
  partBytes: number;
  /** When the file was last changed, in milliseconds since the epoch; null for other sources. */
  lastModified: number | null;
  /** Continues the encryption. Needs the same keys. */
  encryption: EncryptorState;
  /** SHA-256 of each part that may have been sent, base64; null for the others. */
  parts: (string | null)[];
  /** Authenticates everything above, under a key of the document. Base64. */
  mac: string;
}

/**
 * Where the checkpoint of one upload is kept. `indexedDbCheckpoints` of the entry `/stores` makes one, and
 * `fileCheckpoints` of `/stores/node`.
 */
export interface CheckpointStore {
  /** Returns the last checkpoint: the value for `resume`. Undefined when the upload is to begin anew. */
  get(): Promise<UploadCheckpoint | undefined>;
  /** Replaces the checkpoint, for `onCheckpoint`. Resolves when it is on the disk. */
  set(checkpoint: UploadCheckpoint): Promise<void>;
  /** Deletes the checkpoint: the upload has ended. */
  clear(): Promise<void>;
}

/** A checkpoint that is not authenticated yet. */
type CheckpointContent = Omit<UploadCheckpoint, 'mac'>;

/** Receives checkpoints. */
export type OnCheckpoint = ((checkpoint: UploadCheckpoint) => void | Promise<void>) | undefined;

/**
 * Parses the checkpoint of an earlier upload.
 *
 * @throws UsageError when it is not one, or belongs to another vault
 */
export function resumedCheckpoint(given: UploadCheckpoint, vaultId: string): UploadCheckpoint {
  const { uploadId, partBytes, encryption, parts } = given;
  const isCheckpoint =
    encryption?.id === uploadId && Number.isSafeInteger(partBytes) && Array.isArray(parts);
  if (!isCheckpoint) throw new UsageError('resume is not a checkpoint of onCheckpoint');
  if (given.vaultId !== vaultId) throw new UsageError('resume is a checkpoint of another vault');
  return given;
}

/**
 * Checks that a client with the key of the document made a checkpoint. With another key or nonce, or without the
 * digests of parts that were sent, two contents could be encrypted under one key and nonce.
 *
 * @throws DecryptionError
 */
export async function requireAuthentic(
  checkpoint: UploadCheckpoint,
  encryptor: Encryptor,
): Promise<void> {
  if (checkpoint.mac === (await encryptor.mac(canonical(checkpoint)))) return;
  throw new DecryptionError('The checkpoint was changed: upload without resume', {
    reason: 'checkpoint',
  });
}

/** The text that is authenticated. The order of properties is not part of it: a database may change it. */
function canonical(checkpoint: CheckpointContent): string {
  const { uploadId, vaultId, partBytes, lastModified, encryption, parts } = checkpoint;
  const state = Object.entries(encryption).sort();
  return JSON.stringify([uploadId, vaultId, partBytes, lastModified, state, parts]);
}

/** The checkpoint of a running upload. */
export class Checkpoints {
  readonly #checkpoint: CheckpointContent;
  readonly #encryptor: Encryptor;
  readonly #onCheckpoint: OnCheckpoint;
  /** The call of `onCheckpoint` that runs; never rejects. */
  #running: Promise<unknown> = Promise.resolve();
  /** The call that follows. */
  #next: Promise<void> | undefined;

  constructor(checkpoint: CheckpointContent, encryptor: Encryptor, onCheckpoint: OnCheckpoint) {
    this.#checkpoint = { ...checkpoint, parts: [...checkpoint.parts] };
    this.#encryptor = encryptor;
    this.#onCheckpoint = onCheckpoint;
  }

  /** Returns the SHA-256 of a part that may have been sent. */
  sha256Of(part: number): string | undefined {
    return this.#checkpoint.parts[part] ?? undefined;
  }

  /** Adds a part that is about to be sent. Resolves when it is stored. */
  add(part: number, sha256: string): Promise<void> {
    const { parts } = this.#checkpoint;
    while (parts.length < part) parts.push(null);
    parts[part] = sha256;
    return this.save();
  }

  /**
   * Resolves when `onCheckpoint` has stored the current state. Its calls never overlap, and parts that
   * wait for the same call share it.
   */
  save(): Promise<void> {
    const onCheckpoint = this.#onCheckpoint;
    if (!onCheckpoint) return Promise.resolve();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const stored = this.#authenticated().then(onCheckpoint);
      this.#running = stored.catch(() => {});
      return stored;
    });
    return this.#next;
  }

  async #authenticated(): Promise<UploadCheckpoint> {
    const content = structuredClone(this.#checkpoint);
    return { ...content, mac: await this.#encryptor.mac(canonical(content)) };
  }
}
