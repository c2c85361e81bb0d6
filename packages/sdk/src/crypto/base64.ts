/** Codecs of the platform, where it has them. */
interface FastBytes {
  toBase64?: () => string;
}
interface FastArray {
  fromBase64?: (text: string) => Uint8Array<ArrayBuffer>;
}
interface NodeBuffer {
  from(bytes: ArrayBufferLike, offset: number, length: number): { toString(to: 'base64'): string };
  from(text: string, from: 'base64'): Uint8Array<ArrayBuffer>;
}

function nodeBuffer(): NodeBuffer | undefined {
  return (globalThis as { Buffer?: NodeBuffer }).Buffer;
}

/** A multiple of 3, so that chunks need no padding, and below the maximum number of arguments. */
const chunkSize = 3 * 10_922;

/** Encodes bytes as base64 with padding (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  const encoded = (bytes as FastBytes).toBase64?.();
  if (encoded !== undefined) return encoded;
  const node = nodeBuffer();
  if (node) return node.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  let text = '';
  for (let start = 0; start < bytes.length; start += chunkSize) {
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + chunkSize)));
  }
  return text;
}

/**
 * Decodes base64 with padding (RFC 4648, section 4).
 *
 * @throws SyntaxError (in some runtimes a DOMException) when `text` is something else
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const length = (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
  const bytes = decode(text);
  // Node's decoder skips invalid characters.
  if (bytes.length !== length) throw new SyntaxError('Not base64');
  return bytes;
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const decoded = (Uint8Array as FastArray).fromBase64?.(text);
  if (decoded) return decoded;
  const node = nodeBuffer()?.from(text, 'base64');
  // Node takes small buffers from a shared pool.
  if (node) return node.length < node.buffer.byteLength ? new Uint8Array(node) : asPlain(node);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function asPlain(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.buffer, 0, bytes.length);
}

/** Encodes bytes as base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/**
 * Decodes base64url without padding (RFC 4648, section 5).
 *
 * @throws SyntaxError (in some runtimes a DOMException) when `text` is something else
 */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]*$/.test(text)) throw new SyntaxError('Not base64url');
  const padding = '='.repeat((4 - (text.length % 4)) % 4);
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding);
}
