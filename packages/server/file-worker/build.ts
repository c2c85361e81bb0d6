import { browserBundle } from '../browser-bundle.ts';

/** Returns the script of the service worker. */
export function buildFileWorker(): Promise<string> {
  return browserBundle(new URL('service-worker.ts', import.meta.url));
}
