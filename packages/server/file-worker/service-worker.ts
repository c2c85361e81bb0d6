/**
 * The service worker of the console and of the page of share links: responds to requests below `files/` with bytes that
 * the page decrypts. Players and the browser's downloads read from there. The key stays in the page.
 */
import type { FileHead, FileRequest, NextChunk } from './protocol.ts';

declare const self: ServiceWorkerGlobalScope;

/** Not yet in the types of TypeScript, nor in every browser. */
interface InstallEvent extends ExtendableEvent {
  addRoutes?(rule: { condition: object; source: 'network' }): Promise<void>;
}

/** How long a page may take to reply, in milliseconds. */
const patience = 10_000;

self.addEventListener('install', (event: InstallEvent) => {
  // Otherwise Chromium hands every request of the page to this worker.
  const others = { not: { urlPattern: `${self.registration.scope}files/*` } };
  // Browsers without support for `not` reject it: all requests pass through this worker there.
  event.addRoutes?.({ condition: others, source: 'network' }).catch(() => {});
  self.skipWaiting();
});
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
// The page sends messages while a download runs. Without events, browsers end an idle worker.
self.addEventListener('message', (event) => {
  // After a reload without the cache, an active worker does not control the page until it claims it.
  if (event.data === 'claim') event.waitUntil(self.clients.claim());
});
self.addEventListener('fetch', (event) => {
  const { url, headers } = event.request;
  const files = new URL('files/', self.registration.scope).href;
  if (!url.startsWith(files)) return;
  event.respondWith(fileOf({ key: url.slice(files.length), range: headers.get('range') }));
});

/** Asks all tabs with the page: only the one that opened the file knows its key. */
async function fileOf(request: FileRequest): Promise<Response> {
  const pages = await self.clients.matchAll({ type: 'window' });
  try {
    return await Promise.any(pages.map((page) => ask(page, request)));
  } catch {
    return new Response(null, { status: 404 });
  }
}

/** @throws Error when the page does not know the file or does not reply */
async function ask(page: WindowClient, request: FileRequest): Promise<Response> {
  const { port1: port, port2 } = new MessageChannel();
  const head = await new Promise<FileHead | undefined>((resolve) => {
    port.onmessage = ({ data }) => resolve(data);
    setTimeout(resolve, patience);
    page.postMessage(request, [port2]);
  });
  if (!head) throw new Error('This page has no such file');
  return new Response(head.hasBody ? bodyFrom(port) : null, head);
}

/** A stream that asks the page for a chunk whenever its reader does. */
function bodyFrom(port: MessagePort): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await new Promise<NextChunk>((resolve) => {
          port.onmessage = ({ data }) => resolve(data);
          port.postMessage('next');
        });
        if (next === 'failed') throw new Error('The file cannot be read');
        if (next === 'end') controller.close();
        else controller.enqueue(next);
      },
      cancel: () => port.postMessage('cancel'),
    },
    { highWaterMark: 0 },
  );
}
