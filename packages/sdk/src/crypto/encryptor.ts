import { SourceChangedError, UsageError } from '../errors.ts';
import type { EncryptionMetadata } from '../generated/types.ts';
import { tagLength } from './aes-gcm.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { contextOf } from './context.ts';
import { type Description, writeDescription } from './description.ts';
import { createDocumentId } from './document-id.ts';
import { type DocumentKey, type DocumentKeys, importRoot, macOf, nameKey } from './document-key.ts';
import { decryptName, encryptName, requireFileName } from './file-name.ts';
import { type ByteRange, Layout, streamHeaderBytes } from './layout.ts';
import { isMediaType, parseMediaType } from './media-type.ts';
import { allocate, release } from './memory.ts';
import {
  metadataOfKey,
  streamAlgorithm,
  type WrappedKeyMetadata,
  writeMetadata,
} from './metadata.ts';
import { joinSegments } from './segments.ts';
import {
  createStreamHeader,
  isStreamHeader,
  type StreamHeader,
  StreamKey,
  writeStreamHeader,
} from './stream-key.ts';

/**
 * Continues an encryption in another process: with the same keys, an encryptor with this state returns the same
 * bytes. Serialize it as JSON. It contains no secret; a name that is encrypted for the service is encrypted here too.
 */
export interface EncryptorState {
  /** The format. */
  algorithm: string;
  /** Id of the document. */
  id: string;
  /** The name as the service stores it. */
  fileName: string;
  /** Whether `fileName` is encrypted. */
  encryptFileName: boolean;
  /** Media type of the content. */
  mimeType: string;
  /** The encoding of a text, if `mimeType` named one. */
  charset?: string;
  /** Bytes of the content. */
  size: number;
  /** Salt of the ciphertext stream, base64. */
  streamSalt: string;
  /** Nonce prefix of the ciphertext stream, base64. */
  noncePrefix: string;
  /** The document's own key, wrapped. */
  key: WrappedKeyMetadata;
}

/** The fields of an encrypted document for `documents.create`, without vault and content. */
export interface SealedFields {
  /** Id of the document. The content can be decrypted under this id only. */
  id: string;
  /** The name as the service stores it, encrypted or not. */
  fileName: string;
  /** Media type of the plaintext. */
  mimeType: string;
  /** Bytes of the ciphertext. */
  sizeBytes: number;
  /** Parameters for decryption. They contain no secret. */
  encryptionMetadata: EncryptionMetadata;
}

/**
 * Encrypts a content segment by segment, in any order, and the same segment again. The segments in
 * their order are the stored content; segment n begins at n times 1 MiB.
 */
export interface Encryptor {
  /** Id of the document. */
  readonly id: string;
  /** Bytes of the ciphertext. */
  readonly sizeBytes: number;
  /** Number of segments, at least 1. */
  readonly segments: number;
  /** Continues the encryption in another process. */
  readonly state: EncryptorState;
  /** Returns the bytes of the content that a segment contains. It may be empty. */
  contentOf(segment: number): ByteRange;
  /** Returns the bytes of the ciphertext that a segment takes. */
  ciphertextOf(segment: number): ByteRange;
  /**
   * Encrypts a segment.
   *
   * @param content - the bytes that `contentOf` names
   * @throws UsageError when the length is another one
   * @throws SourceChangedError when this encryptor has encrypted other bytes for the segment
   */
  segment(segment: number, content: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Returns the fields of the document.
   *
   * @throws UsageError before the last segment was encrypted: its tag is one of the fields
   */
  fields(): SealedFields;
  /**
   * Returns the HMAC-SHA-256 of a text under a key that is derived from the document's own, in base64. Another
   * process with the same keys detects by it that a state was changed: `state` alone does not show it.
   */
  mac(text: string): Promise<string>;
}

/** Options of an encryptor. */
export interface EncryptorOptions {
  /** Id of the document: a UUIDv7. @default a new one */
  id?: string | undefined;
  /** Name of the document. */
  fileName: string;
  /**
   * Media type. Parameters are removed, and a `charset` is sealed. Any other text than `type/subtype` becomes
   * `application/octet-stream`.
   */
  mimeType: string;
  /** Bytes of the content. */
  size: number;
  /** Also encrypts the name for the service. @default false */
  encryptFileName?: boolean | undefined;
}

/** Everything that determines the bytes of an encryption. */
interface EncryptorParameters extends DocumentKey {
  readonly id: string;
  readonly description: Description;
  /** The name for the service. */
  readonly storedName: string;
  readonly header: StreamHeader;
}

/**
 * Creates an encryptor with a new key.
 *
 * @throws UsageError when name or size is invalid
 */
export async function createEncryptor(
  keys: DocumentKeys,
  { id = createDocumentId(), fileName, mimeType, size, encryptFileName = false }: EncryptorOptions,
): Promise<Encryptor> {
  requireFileName(fileName);
  const description = { fileName, ...parseMediaType(mimeType), size, encryptFileName };
  const key = await keys.create(id);
  const storedName = encryptFileName
    ? await encryptName(await nameKey(key.root, id), fileName)
    : fileName;
  const header = createStreamHeader();
  return SegmentEncryptor.create({ ...key, id, description, storedName, header });
}

/**
 * Creates an encryptor that continues an earlier one.
 *
 * @throws UsageError when the state is invalid, and DecryptionError for another key
 */
export async function resumeEncryptor(
  keys: Pick<DocumentKeys, 'unwrap'>,
  state: EncryptorState,
): Promise<Encryptor> {
  const { id, fileName: storedName, header, encryptionMetadata, ...facts } = parse(state);
  const { key: metadata, encryptFileName, mimeType, charset, size } = facts;
  const root = await importRoot(await keys.unwrap({ id, encryptionMetadata }));
  const fileName = encryptFileName
    ? await decryptName(await nameKey(root, id), storedName)
    : storedName;
  const description = { fileName, mimeType, charset, size, encryptFileName };
  return SegmentEncryptor.create({ root, metadata, id, description, storedName, header });
}

/** @throws UsageError */
function parse(state: EncryptorState) {
  try {
    const { algorithm, ...facts } = state;
    const header = {
      salt: fromBase64(state.streamSalt),
      noncePrefix: fromBase64(state.noncePrefix),
    };
    const isSupported = algorithm === streamAlgorithm && isMediaType(facts.mimeType);
    if (isSupported && isStreamHeader(header)) {
      return { ...facts, header, encryptionMetadata: metadataOfKey(state.key) };
    }
  } catch {
    // The error below is the same.
  }
  throw new UsageError('The state of the encryptor is invalid');
}

class SegmentEncryptor implements Encryptor {
  readonly #parameters: EncryptorParameters;
  readonly #description: Uint8Array;
  readonly #layout: Layout;
  readonly #key: StreamKey;
  /** Encryption is deterministic here: another tag means another content. */
  readonly #tags: Uint8Array[] = [];

  private constructor(parameters: EncryptorParameters, description: Uint8Array, key: StreamKey) {
    this.#parameters = parameters;
    this.#description = description;
    this.#layout = new Layout(description.length, parameters.description.size);
    this.#key = key;
  }

  static async create(parameters: EncryptorParameters): Promise<Encryptor> {
    const { root, id, header } = parameters;
    const description = writeDescription(parameters.description);
    const key = await StreamKey.derive(root, header, contextOf('content', id), 'encrypt');
    return new SegmentEncryptor(parameters, description, key);
  }

  get id(): string {
    return this.#parameters.id;
  }

  get sizeBytes(): number {
    return this.#layout.sizeBytes;
  }

  get segments(): number {
    return this.#layout.segments;
  }

  get state(): EncryptorState {
    const { id, storedName, description, header, metadata } = this.#parameters;
    const { mimeType, charset, size, encryptFileName } = description;
    return {
      algorithm: streamAlgorithm,
      id,
      fileName: storedName,
      encryptFileName,
      mimeType,
      ...(charset !== undefined && { charset }),
      size,
      streamSalt: toBase64(header.salt),
      noncePrefix: toBase64(header.noncePrefix),
      key: metadata,
    };
  }

  contentOf(segment: number): ByteRange {
    return this.#layout.contentOf(segment);
  }

  ciphertextOf(segment: number): ByteRange {
    return this.#layout.ciphertextOf(segment);
  }

  async segment(segment: number, content: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const { start, end } = this.contentOf(segment);
    if (content.length !== end - start) {
      throw new UsageError(`Segment ${segment} has ${end - start} bytes, not ${content.length}`);
    }
    const plain = segment ? undefined : withPrefix(this.#description, content);
    const isLast = this.#layout.isLast(segment);
    const sealed = new Uint8Array(await this.#key.encrypt(segment, isLast, plain ?? content));
    if (plain) release(plain);
    this.#requireSame(segment, sealed.slice(-tagLength));
    if (segment) return sealed;
    const first = allocate(streamHeaderBytes + sealed.length);
    writeStreamHeader(first, this.#parameters.header);
    first.set(sealed, streamHeaderBytes);
    release(sealed);
    return first;
  }

  fields(): SealedFields {
    const { id, storedName, description, header, metadata } = this.#parameters;
    const authTag = this.#tags[this.segments - 1];
    if (!authTag) throw new UsageError('The last segment has not been encrypted');
    const { noncePrefix } = header;
    const encryptionMetadata = writeMetadata(metadata, { noncePrefix, authTag });
    const { mimeType } = description;
    return { id, fileName: storedName, mimeType, sizeBytes: this.sizeBytes, encryptionMetadata };
  }

  async mac(text: string): Promise<string> {
    const { root, id } = this.#parameters;
    return toBase64(await macOf(root, id, text));
  }

  #requireSame(segment: number, tag: Uint8Array): void {
    const earlier = this.#tags[segment];
    this.#tags[segment] = earlier ?? tag;
    if (earlier?.some((byte, at) => byte !== tag[at])) {
      throw new SourceChangedError('The source has changed since the upload began');
    }
  }
}

/**
 * Encrypts a content as a whole.
 *
 * @returns the ciphertext stream
 */
export function encryptAll(
  encryptor: Encryptor,
  content: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const { segments, sizeBytes: size } = encryptor;
  const rangeOf = (segment: number) => encryptor.ciphertextOf(segment);
  return joinSegments({ segments, size, rangeOf }, (segment) => {
    const { start, end } = encryptor.contentOf(segment);
    return encryptor.segment(segment, content.subarray(start, end));
  });
}

function withPrefix(prefix: Uint8Array, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = allocate(prefix.length + bytes.length);
  joined.set(prefix);
  joined.set(bytes, prefix.length);
  return joined;
}
