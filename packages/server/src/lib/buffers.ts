/** Frees the memory of buffers at once. To the garbage collector, a buffer is a small object, which it frees late. */

/** Frees the whole memory of a buffer, also what other views see of it. */
export function free({ buffer }: Uint8Array): void {
  (buffer as ArrayBuffer).transfer(0);
}

/** Frees the memory of bytes that share it with no others. */
export function freeOwn(bytes: Uint8Array): void {
  if (bytes.byteLength === bytes.buffer.byteLength) free(bytes);
}
