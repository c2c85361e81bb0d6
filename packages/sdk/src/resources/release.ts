/**
 * Frees the memory of bytes that no code reads any more. Otherwise it stays until the garbage collector runs, which
 * large uploads made run a hundred times for each GiB. Older runtimes lack `transfer` and wait for it.
 */
export function release({ buffer }: Uint8Array<ArrayBuffer>): void {
  (buffer as ArrayBuffer & { transfer?(length: number): ArrayBuffer }).transfer?.(0);
}
