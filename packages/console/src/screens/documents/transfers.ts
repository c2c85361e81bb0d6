/** The queue of uploads and downloads. It goes on while the user looks at other screens. */
import {
  type AccountKeys,
  DecryptionError,
  type Document,
  LockedError,
  NotFoundError,
  SourceChangedError,
  type UploadCheckpoint,
  UsageError,
} from '@document-vault/sdk';
import { effect, signal } from '@preact/signals';
import { save } from '../../components/export.tsx';
import { client, send, userId } from '../../service/client.ts';
import { deleteValue, readValues, writeValue } from '../../service/database.ts';
import { accountKeys, lock } from '../../service/keys.ts';
import { showFirst } from './cache.ts';
import { decryptNames } from './names.ts';

export interface Transfer {
  readonly id: number;
  readonly kind: 'upload' | 'download';
  readonly vaultId: string;
  readonly name: string;
  /** Bytes of the content, or of the ciphertext of a download. */
  readonly size: number;
  /** Bytes that have arrived; undefined while that is unknown. */
  readonly loaded?: number | undefined;
  /** An interrupted transfer goes on once the console is unlocked, or the file of an upload is chosen again. */
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'interrupted';
  readonly error?: unknown;
  /** The source of an upload; undefined after a reload. */
  readonly file?: File | undefined;
  readonly hidesName?: boolean;
  readonly checkpoint?: UploadCheckpoint | undefined;
  readonly document?: Document;
}

export const transfers = signal<readonly Transfer[]>([]);

/** An upload as IndexedDB has it: no key, no content, and its name as the service gets it. */
interface StoredUpload {
  readonly userId: string;
  readonly startedAt: number;
  readonly checkpoint: UploadCheckpoint;
}

/** The service keeps the parts of an upload for 24 hours. */
const resumableFor = 24 * 3_600_000;

/** What ends the running transfers, by their ids. */
const running = new Map<number, AbortController>();

let lastId = 0;

function add(transfer: Omit<Transfer, 'id'>): number {
  lastId += 1;
  transfers.value = [...transfers.peek(), { id: lastId, ...transfer }];
  return lastId;
}

function change(id: number, changes: Partial<Transfer>): void {
  transfers.value = transfers.peek().map((one) => (one.id === id ? { ...one, ...changes } : one));
}

function find(id: number): Transfer | undefined {
  return transfers.peek().find((one) => one.id === id);
}

interface UploadChoice {
  readonly vaultId: string;
  readonly hidesName: boolean;
}

/** Adds files to the queue. A file of an interrupted upload continues it. */
export function uploadFiles(files: readonly File[], { vaultId, hidesName }: UploadChoice): void {
  for (const file of files) {
    const known = transfers.peek().find((one) => isSourceOf(one, file, vaultId));
    if (known) resumeWith(known.id, file);
    else {
      const { name, size } = file;
      add({ kind: 'upload', vaultId, name, size, state: 'waiting', file, hidesName });
    }
  }
  void runUploads();
}

function isSourceOf({ state, file, checkpoint, ...other }: Transfer, given: File, vaultId: string) {
  return (
    state === 'interrupted' &&
    !file &&
    other.vaultId === vaultId &&
    other.size === given.size &&
    checkpoint?.lastModified === given.lastModified
  );
}

/** Continues an upload with the file that the user chose for it. */
export function resumeWith(id: number, file: File): void {
  change(id, { file, state: 'waiting', error: undefined });
  void runUploads();
}

/**
 * Begins a transfer again: an upload where it was interrupted, unless its error says that it cannot be resumed.
 */
export function retryTransfer({ id, kind, document, error, checkpoint }: Transfer): void {
  const isLost =
    error instanceof NotFoundError ||
    error instanceof SourceChangedError ||
    error instanceof DecryptionError ||
    error instanceof UsageError;
  if (isLost && checkpoint) void deleteValue('uploads', checkpoint.uploadId);
  change(id, {
    state: 'waiting',
    error: undefined,
    loaded: undefined,
    ...(isLost && { checkpoint: undefined }),
  });
  if (kind === 'upload') void runUploads();
  else if (document) queueDownload(id, document);
}

/** Ends a transfer, and removes it from the queue. The service frees its parts. */
export async function remove({ id }: Transfer): Promise<void> {
  const controller = running.get(id);
  const { checkpoint } = find(id) ?? {};
  transfers.value = transfers.peek().filter((one) => one.id !== id);
  controller?.abort();
  if (!checkpoint) return;
  await deleteValue('uploads', checkpoint.uploadId);
  // A running upload gives itself up.
  if (!controller) await client.uploads.delete(checkpoint.uploadId).catch(() => undefined);
}

/** Removes what has ended from the queue. */
export function removeEnded(): void {
  transfers.value = transfers.peek().filter(({ state }) => state !== 'done');
}

let isUploading = false;

/** Uploads what waits, one file after the other: a file has several parts on the way. */
async function runUploads(): Promise<void> {
  if (isUploading) return;
  isUploading = true;
  await navigator.locks.request(lockName, async () => {
    for (let next = nextUpload(); next; next = nextUpload()) await next();
    // Files that are added from now on need another run.
    isUploading = false;
  });
}

function nextUpload(): (() => Promise<void>) | undefined {
  const used = accountKeys.peek();
  const next = transfers.peek().find(({ kind, state }) => kind === 'upload' && state === 'waiting');
  if (!next?.file || !used) return undefined;
  const { file } = next;
  return () => upload(next, file, used);
}

/**
 * Ends a transfer whose console was locked. Thrown instead of aborting: an aborted upload cannot be resumed.
 *
 * @throws LockedError
 */
function requireUnlocked(used: AccountKeys): void {
  if (accountKeys.peek() !== used) throw new LockedError('The console is locked');
}

/** Runs a transfer. `work` returns what changes with its end. */
async function track(
  id: number,
  used: AccountKeys,
  work: (signal: AbortSignal) => Promise<Partial<Transfer>>,
): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  change(id, { state: 'running' });
  try {
    change(id, { ...(await work(controller.signal)), state: 'done' });
  } catch (error) {
    // Another device has replaced the keyring.
    if (error instanceof LockedError && accountKeys.peek() === used) await lock();
    if (accountKeys.peek() === used) change(id, { state: 'failed', error });
    else interrupt(id);
  } finally {
    running.delete(id);
  }
}

function upload(transfer: Transfer, file: File, used: AccountKeys): Promise<void> {
  const { id, vaultId, name, hidesName = true, checkpoint } = transfer;
  const ownerId = userId.peek() ?? '';
  const startedAt = Date.now();
  return track(id, used, async (signal) => {
    const document = await send(
      client.documents.upload(file, {
        vaultId,
        fileName: name,
        encryptFileName: hidesName,
        signal,
        resume: checkpoint,
        onProgress({ phase, loaded }) {
          requireUnlocked(used);
          const isKnown = phase === 'uploading' && loaded > 0;
          change(id, { loaded: isKnown ? loaded : undefined });
        },
        async onCheckpoint(reached) {
          requireUnlocked(used);
          signal.throwIfAborted();
          change(id, { checkpoint: reached });
          const stored: StoredUpload = { userId: ownerId, startedAt, checkpoint: reached };
          await writeValue('uploads', reached.uploadId, stored);
        },
      }),
    );
    const { checkpoint: last } = find(id) ?? {};
    if (last) await deleteValue('uploads', last.uploadId);
    await decryptNames([document]);
    showFirst(document, true);
    return { loaded: transfer.size, checkpoint: undefined, document };
  });
}

/** Ends a transfer that a lock has interrupted. It goes on once the console is unlocked, perhaps now. */
function interrupt(id: number): void {
  change(id, { state: 'interrupted' });
  if (accountKeys.peek()) goOn();
}

/** Continues what a lock has interrupted. Uploads without a file wait for the user to choose it. */
function goOn(): void {
  for (const one of transfers.peek()) {
    const { id, state, file, document } = one;
    if (state !== 'interrupted' || !(file ?? document)) continue;
    change(id, { state: 'waiting' });
    if (document) queueDownload(id, document);
  }
  void runUploads();
}

/** One tab uploads at a time, so that two tabs never resume the same upload. */
const lockName = 'document-vault-console-uploads';

/** Shows uploads of the user that a reload or a crash has interrupted. */
export async function restoreUploads(): Promise<void> {
  const stored = await readValues<StoredUpload>('uploads');
  // Another tab may upload one of them now.
  const { held = [] } = await navigator.locks.query();
  if (running.size === 0 && held.some(({ name }) => name === lockName)) return;
  for (const { checkpoint, startedAt, ...other } of stored) {
    const { uploadId, vaultId, encryption } = checkpoint;
    if (Date.now() - startedAt > resumableFor) {
      await deleteValue('uploads', checkpoint.uploadId);
      continue;
    }
    if (other.userId !== userId.peek()) continue;
    // Keys that were replaced do not open it.
    const name = await client.documents.fileName(checkpoint).catch(() => undefined);
    const isKnown = transfers.peek().some((one) => one.checkpoint?.uploadId === uploadId);
    // Another user can have signed in meanwhile.
    if (isKnown || name === undefined || other.userId !== userId.peek()) continue;
    const { size, encryptFileName: hidesName } = encryption;
    add({ kind: 'upload', vaultId, name, size, state: 'interrupted', checkpoint, hidesName });
  }
}

/** Downloads a document, decrypts it while it arrives, and saves it. */
export function download(document: Document, name: string): void {
  const { vaultId, sizeBytes: size } = document;
  const id = add({ kind: 'download', vaultId, name, size, state: 'waiting', document });
  queueDownload(id, document);
}

/** The downloads that were begun, one after the other: each is in memory until it is saved. */
let downloads = Promise.resolve();

function queueDownload(id: number, document: Document): void {
  downloads = downloads.then(() => runDownload(id, document));
}

async function runDownload(id: number, document: Document): Promise<void> {
  const used = accountKeys.peek();
  // It was cancelled while it waited.
  if (!find(id)) return;
  if (!used) return interrupt(id);
  change(id, { loaded: undefined });
  await track(id, used, async (signal) => {
    const opened = await send(client.documents.download(document.id, { as: 'stream', signal }));
    const blob = await collect(opened.stream, (loaded) => {
      signal.throwIfAborted();
      requireUnlocked(used);
      change(id, { loaded, size: opened.size });
    });
    requireUnlocked(used);
    // Of no type that a browser opens by itself.
    save(new Blob([blob], { type: 'application/octet-stream' }), find(id)?.name ?? opened.fileName);
    return { loaded: opened.size };
  });
}

/** Reads a stream into a blob, which the browser may keep on its disk. */
export async function collect(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onRead: (bytes: number) => void,
): Promise<Blob> {
  let loaded = 0;
  const counted = stream.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        loaded += chunk.length;
        onRead(loaded);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted).blob();
}

effect(() => {
  if (accountKeys.value) goOn();
});

// Names of one account are never shown to another.
userId.subscribe(() => {
  for (const controller of running.values()) controller.abort();
  transfers.value = [];
});

addEventListener('beforeunload', (event) => {
  if (running.size > 0) event.preventDefault();
});
