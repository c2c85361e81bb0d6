/** Gives a decrypted file an address, which the service worker serves: large files are never in memory as a whole. */
import type { DecryptedStream } from '@document-vault/sdk';
import type { ChunkRequest, FileHead, FileRequest, NextChunk } from './protocol.ts';

/** A player gets at most so many bytes at once: it asks for more when it needs them. */
const maxRangeBytes = 8 * 1024 * 1024;

/** Milliseconds. Browsers end a service worker after 30 seconds without an event. */
const aliveInterval = 10_000;

/** How long the service worker may take to start, in milliseconds. */
const startTimeout = 10_000;

/** Called with the error when the file cannot be read any further. */
type OnFailure = (cause: unknown) => void;

interface Served {
  readonly key: string;
  readonly file: DecryptedStream;
  readonly onFailure: OnFailure;
}

/** The file that is served, under a key that only this page knows. */
let served: Served | undefined;

/** The folder of the service worker's script, below which its files have their addresses. */
let folder: URL | undefined;

/** Trusted Types allow the page no other script than its service worker. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

/**
 * Starts the service worker. Returns false where there is none, as in some private windows.
 *
 * @param home - the folder with `service-worker.js`; the page is below it
 */
export async function startServing(home: URL): Promise<boolean> {
  // Missing where the user or the browser has switched service workers off.
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (!serviceWorker) return false;
  serviceWorker.onmessage = ({ data, ports: [port] }) => {
    if (port) reply(data, port);
  };
  try {
    folder = home;
    workerUrl ??= trusted(new URL('service-worker.js', home).href);
    await serviceWorker.register(workerUrl);
  } catch {
    return false;
  }
  if (serviceWorker.controller) return true;
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), startTimeout);
    serviceWorker.oncontrollerchange = () => resolve(true);
    serviceWorker.ready.then(({ active }) => active?.postMessage('claim'));
  });
}

let workerUrl: string | undefined;

function trusted(url: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  const rules = { createScriptURL: (given: string) => given };
  return (trustedTypes?.createPolicy('service-worker', rules) ?? rules).createScriptURL(url);
}

/** Returns the address of a file, once `startServing` has returned true. The address before it becomes invalid. */
export function addressOf(file: DecryptedStream, onFailure: OnFailure = () => {}): string {
  served = { key: crypto.randomUUID(), file, onFailure };
  return new URL(`files/${served.key}`, folder).href;
}

/** Makes the address of the last file invalid. */
export function stopServing(): void {
  served = undefined;
}

function reply({ key, range }: FileRequest, port: MessagePort): void {
  const [name, option] = key.split('?');
  if (!served || name !== served.key) port.postMessage(undefined);
  else if (option === 'save') sendAll(served, port);
  else sendRange(served, range, port);
}

/** The address of a file shows nothing when it is opened as a document, and is no script. */
const inert = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };

/** Sends a whole file as a download, and keeps the service worker alive until then. */
function sendAll({ file, onFailure }: Served, port: MessagePort): void {
  const fileName = encodeURIComponent(file.fileName).replace(/['()*]/g, percentEncoded);
  const head: FileHead = {
    status: 200,
    hasBody: true,
    headers: {
      // Never a type that a browser would run as a document of this origin.
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${fileName}`,
      'content-length': String(file.size),
      ...inert,
    },
  };
  port.postMessage(head);
  const { controller } = navigator.serviceWorker;
  const timer = setInterval(() => controller?.postMessage('alive'), aliveInterval);
  sendChunks(file.slice(), port, { onFailure, onEnd: () => clearInterval(timer) });
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}

/** Sends what a player asks for: `bytes=START-` or `bytes=START-END`. */
function sendRange({ file, onFailure }: Served, range: string | null, port: MessagePort): void {
  const { size, mimeType } = file;
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? 'bytes=0-') ?? [];
  const start = Number(first);
  const end = Math.min(last ? Number(last) + 1 : size, start + maxRangeBytes, size);
  const hasBody = first !== undefined && start < end;
  const headers = {
    // The sender chose the type: it must not make the file a script or a style of this origin.
    'content-type': /^(audio|video)\//i.test(mimeType) ? mimeType : 'application/octet-stream',
    'content-range': hasBody ? `bytes ${start}-${end - 1}/${size}` : `bytes */${size}`,
    'accept-ranges': 'bytes',
    ...inert,
  };
  const head: FileHead = { status: hasBody ? 206 : 416, hasBody, headers };
  port.postMessage(head);
  if (hasBody) sendChunks(file.slice(start, end), port, { onFailure });
}

/** Sends a chunk for each message that asks for one. */
function sendChunks(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  port: MessagePort,
  { onFailure, onEnd = () => {} }: Pick<Served, 'onFailure'> & { onEnd?: () => void },
): void {
  const reader = stream.getReader();
  const next = (): Promise<NextChunk> =>
    reader.read().then(
      ({ done, value }) => (done ? 'end' : value),
      (cause) => {
        onFailure(cause);
        return 'failed';
      },
    );
  port.onmessage = async ({ data }: MessageEvent<ChunkRequest>) => {
    const chunk = data === 'cancel' ? await cancelled(reader) : await next();
    if (typeof chunk === 'string') onEnd();
    port.postMessage(chunk);
  };
}

/** Ends a reader. A failure to do so changes nothing. */
function cancelled(reader: ReadableStreamDefaultReader): Promise<NextChunk> {
  const ended = (): NextChunk => 'end';
  return reader.cancel().then(ended, ended);
}
