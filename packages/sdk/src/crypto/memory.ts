// How contents and their parts are held in memory, and freed.
import { isBrowser } from '../options.ts';

/**
 * Whether memory is used again or freed instead of left to the garbage collector. Node counts it, and collects the
 * whole heap for each 16 MiB.
 *
 * Not in a browser: Chromium frees the Blobs of parts when the collector runs, but does not count their bytes. The
 * memory that an upload leaves behind is counted, and so makes the collector run in time. `transfer` takes it out of
 * the count, but Chromium keeps the memory until the collector runs.
 */
export function reusesMemory(): boolean {
  return !isBrowser();
}

/** Frees the memory of bytes that no code reads any more. Older runtimes lack `transfer`. */
export function release({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (!reusesMemory()) return;
  (buffer as ArrayBuffer & { transfer?(length: number): ArrayBuffer }).transfer?.(0);
}

/** The part of Node's `Buffer` that is used here. */
interface NodeMemory {
  allocUnsafeSlow(length: number): Uint8Array<ArrayBuffer>;
}

/** Allocates bytes that the caller overwrites completely. Node does not fill them with zeros first. */
export function allocate(length: number): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as { Buffer?: NodeMemory };
  return new Uint8Array(Buffer ? Buffer.allocUnsafeSlow(length).buffer : new ArrayBuffer(length));
}
