/** Gives decrypted files addresses of this origin, which the service worker serves. */
import type { DecryptedStream } from '@document-vault/sdk';
import workerUrl from '../service-worker.ts?worker&url';
import { element } from './elements.ts';
import type { ChunkRequest, FileHead, FileRequest, NextChunk } from './protocol.ts';

/** A player gets at most so many bytes at once: it asks for more when it needs them. */
const maxRangeBytes = 8 * 1024 * 1024;

/** Milliseconds. Browsers end a service worker after 30 seconds without an event. */
const aliveInterval = 10_000;

/** The open files, each under a key that only this page knows. */
const files = new Map<string, DecryptedStream>();

/** Starts the service worker. Without one, files can be neither played nor saved. */
export async function startServing(): Promise<void> {
  const { serviceWorker } = navigator;
  serviceWorker.addEventListener('message', ({ data, ports: [port] }) => {
    if (port) reply(data, port);
  });
  await serviceWorker.register(workerUrl);
  if (serviceWorker.controller) return;
  await new Promise((resolve) => {
    serviceWorker.addEventListener('controllerchange', resolve, { once: true });
    serviceWorker.ready.then(({ active }) => active?.postMessage('claim'));
  });
}

/** Returns an address at which a file can be played. */
export function addressOf(file: DecryptedStream): string {
  const key = crypto.randomUUID();
  files.set(key, file);
  return `files/${key}`;
}

/** Makes an address invalid. */
export function close(address: string): void {
  files.delete(address.replace('files/', ''));
}

/** Saves a file to the downloads of the browser. */
export function save(file: DecryptedStream): void {
  // Not `<a download>`: browsers do not show those requests to service workers.
  element('#downloads', HTMLIFrameElement).src = `${addressOf(file)}?save`;
}

function reply({ key, range }: FileRequest, port: MessagePort): void {
  const [name = '', option] = key.split('?');
  const file = files.get(name);
  if (!file) port.postMessage(undefined);
  else if (option === 'save') sendAll(file, port);
  else sendRange(file, range, port);
}

/** Sends a whole file, and keeps the service worker alive until then. */
function sendAll(file: DecryptedStream, port: MessagePort): void {
  const fileName = encodeURIComponent(file.fileName).replace(/['()*]/g, percentEncoded);
  const head: FileHead = {
    status: 200,
    hasBody: true,
    headers: {
      // Never a type that a browser would run as a page of this origin.
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${fileName}`,
      'content-length': String(file.size),
    },
  };
  port.postMessage(head);
  const { controller } = navigator.serviceWorker;
  const timer = setInterval(() => controller?.postMessage('alive'), aliveInterval);
  sendChunks(file.slice(), port, () => clearInterval(timer));
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}

/** Sends what a player asks for: `bytes=START-` or `bytes=START-END`. */
function sendRange(file: DecryptedStream, range: string | null, port: MessagePort): void {
  const { size, mimeType } = file;
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? 'bytes=0-') ?? [];
  const start = Number(first);
  const end = Math.min(last ? Number(last) + 1 : size, start + maxRangeBytes, size);
  const hasBody = first !== undefined && start < end;
  const headers = {
    'content-type': mimeType,
    'content-range': hasBody ? `bytes ${start}-${end - 1}/${size}` : `bytes */${size}`,
    'accept-ranges': 'bytes',
    // The sender chose the type: the address shows nothing when it is opened as a document.
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  };
  const head: FileHead = { status: hasBody ? 206 : 416, hasBody, headers };
  port.postMessage(head);
  if (hasBody) sendChunks(file.slice(start, end), port);
}

/** Sends a chunk for each message that asks for one. */
function sendChunks(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  port: MessagePort,
  onEnd = () => {},
) {
  const reader = stream.getReader();
  const next = (): Promise<NextChunk> =>
    reader.read().then(
      ({ done, value }) => (done ? 'end' : value),
      () => 'failed',
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
