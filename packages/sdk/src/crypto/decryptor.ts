import { DecryptionError } from '../errors.ts';
import type { EncryptionMetadata } from '../generated/types.ts';
import { tagLength } from './aes-gcm.ts';
import { contextOf } from './context.ts';
import { type Description, readDescription } from './description.ts';
import { type ByteRange, Layout, segmentBytes, streamHeaderBytes } from './layout.ts';
import { release } from './memory.ts';
import type { StreamParameters } from './metadata.ts';
import { joinSegments } from './segments.ts';
import { readStreamHeader, StreamKey } from './stream-key.ts';

/** A document of the service, without its content. */
export interface StoredDocument {
  /** Id of the document, as the caller knows it. */
  id: string;
  /** The name as the service stores it, encrypted or not. */
  fileName: string;
  /** Media type that the service reports. */
  mimeType: string;
  /** Bytes of the ciphertext. */
  sizeBytes: number;
  /** Parameters for decryption. */
  encryptionMetadata: EncryptionMetadata;
}

/** A document with its content as the service returns it. */
export interface StoredSealedContent extends StoredDocument {
  /** The ciphertext in base64 with padding; null when it is larger than 32 MiB, absent when it was left out. */
  encryptedData?: string | null | undefined;
}

/** A document with the whole of its content. */
export interface StoredContent extends StoredDocument {
  /** The ciphertext. */
  encryptedData: Uint8Array;
}

/** Decrypts the segments of a content, in any order. */
export interface Decryptor {
  /** The name: decrypted, or as it was sealed in the content. */
  readonly fileName: string;
  /** Media type, as it was sealed in the content. */
  readonly mimeType: string;
  /** The encoding of a text, as it was sealed in the content; undefined when none was named. */
  readonly charset: string | undefined;
  /** Bytes of the content. */
  readonly size: number;
  /** Bytes of the ciphertext. */
  readonly sizeBytes: number;
  /** Number of segments, at least 1. */
  readonly segments: number;
  /** Returns the bytes of the content that a segment contains. */
  contentOf(segment: number): ByteRange;
  /** Returns the bytes of the ciphertext that a segment takes. */
  ciphertextOf(segment: number): ByteRange;
  /** Returns the segment that contains a byte of the content. */
  segmentAt(offset: number): number;
  /**
   * Decrypts a segment.
   *
   * @param ciphertext - the bytes that `ciphertextOf` names; they are copied before the call returns
   * @returns the bytes that `contentOf` names
   * @throws DecryptionError when they were changed, or belong to another segment or document
   */
  segment(segment: number, ciphertext: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Decrypts the description of a content and checks it.
 *
 * @param first - the first 1 MiB of the ciphertext, or all of it when there is less
 * @param resolveName - returns the name to show from the sealed one
 * @throws DecryptionError
 */
export async function createDecryptor(
  { root, noncePrefix, authTag }: StreamParameters & { readonly root: CryptoKey },
  { id, sizeBytes }: StoredDocument,
  first: Uint8Array,
  resolveName: (sealed: Description) => Promise<string>,
): Promise<Decryptor> {
  const header = readStreamHeader(first);
  if (!header || !equal(header.noncePrefix, noncePrefix)) throw changed('it has no valid header');
  const key = await StreamKey.derive(root, header, contextOf('content', id), 'decrypt');
  const isLast = sizeBytes <= segmentBytes;
  const plain = await key.decrypt(0, isLast, copyOf(first.subarray(streamHeaderBytes)));
  const { length, ...description } = readDescription(plain);
  release(plain);
  const layout = new Layout(length, description.size);
  if (layout.sizeBytes !== sizeBytes) {
    const sizes = `${sizeBytes} bytes in the place of ${layout.sizeBytes}`;
    throw new DecryptionError(`Cannot decrypt: the service reports ${sizes}`, { reason: 'size' });
  }
  const fileName = await resolveName(description);
  return new SegmentDecryptor({ ...description, fileName }, { layout, key, authTag, length });
}

/** Decrypts the segments of one content. */
interface Stream {
  readonly layout: Layout;
  readonly key: StreamKey;
  readonly authTag: Uint8Array;
  /** Bytes of the description in the first segment. */
  readonly length: number;
}

class SegmentDecryptor implements Decryptor {
  readonly fileName: string;
  readonly mimeType: string;
  readonly charset: string | undefined;
  readonly size: number;
  readonly #stream: Stream;

  constructor({ fileName, mimeType, charset, size }: Description, stream: Stream) {
    this.fileName = fileName;
    this.mimeType = mimeType;
    this.charset = charset;
    this.size = size;
    this.#stream = stream;
  }

  get sizeBytes(): number {
    return this.#stream.layout.sizeBytes;
  }

  get segments(): number {
    return this.#stream.layout.segments;
  }

  contentOf(segment: number): ByteRange {
    return this.#stream.layout.contentOf(segment);
  }

  ciphertextOf(segment: number): ByteRange {
    return this.#stream.layout.ciphertextOf(segment);
  }

  segmentAt(offset: number): number {
    return this.#stream.layout.segmentAt(offset);
  }

  async segment(segment: number, ciphertext: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const { layout, key, authTag, length } = this.#stream;
    const { start, end } = layout.ciphertextOf(segment);
    if (ciphertext.length !== end - start) throw changed('it was cut off or extended');
    const isLast = layout.isLast(segment);
    if (isLast && !equal(ciphertext.subarray(-tagLength), authTag)) {
      throw changed('its tag is not encryptionMetadata.authTag');
    }
    const sealed = segment ? ciphertext : ciphertext.subarray(streamHeaderBytes);
    const plain = await key.decrypt(segment, isLast, copyOf(sealed));
    return segment ? plain : plain.subarray(length);
  }
}

/**
 * Decrypts a content as a whole.
 *
 * @throws DecryptionError
 */
export async function decryptAll(
  decryptor: Decryptor,
  ciphertext: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  if (ciphertext.length !== decryptor.sizeBytes) throw changed('it was cut off or extended');
  const { segments, size } = decryptor;
  const rangeOf = (segment: number) => decryptor.contentOf(segment);
  return joinSegments({ segments, size, rangeOf }, (segment) => {
    const { start, end } = decryptor.ciphertextOf(segment);
    return decryptor.segment(segment, ciphertext.subarray(start, end));
  });
}

/** Web Crypto accepts no memory that threads share. */
function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function changed(how: string): DecryptionError {
  return new DecryptionError(`Cannot decrypt: the content was changed, ${how}`);
}
