/** The platform's own codecs, where it has them. */
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

/** A multiple of 3, so that chunks join without padding, and few enough to be arguments. */
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
 * @throws SyntaxError (a DOMException where the platform has it so) when `text` is something else
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const length = (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
  const bytes = decode(text);
  // Node's decoder skips what it does not understand.
  if (bytes.length !== length) throw new SyntaxError('This is not base64');
  return bytes;
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const decoded = (Uint8Array as FastArray).fromBase64?.(text);
  if (decoded) return decoded;
  const node = nodeBuffer()?.from(text, 'base64');
  // A small buffer is a window into memory that it shares with others.
  if (node) return node.length < node.buffer.byteLength ? new Uint8Array(node) : asPlain(node);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function asPlain(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.buffer, 0, bytes.length);
}
