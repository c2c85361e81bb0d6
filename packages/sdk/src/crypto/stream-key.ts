import { notDecrypted, randomBytes } from './aes-gcm.ts';
import { streamHeaderBytes } from './layout.ts';

const saltBytes = 32;
const prefixBytes = 7;

/** Salt and nonce prefix of a ciphertext stream. Neither is secret. */
export interface StreamHeader {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly noncePrefix: Uint8Array<ArrayBuffer>;
}

/** Creates the header of a new stream. */
export function createStreamHeader(): StreamHeader {
  return { salt: randomBytes(saltBytes), noncePrefix: randomBytes(prefixBytes) };
}

/** Whether salt and nonce prefix have the right length. */
export function isStreamHeader({ salt, noncePrefix }: StreamHeader): boolean {
  return salt.length === saltBytes && noncePrefix.length === prefixBytes;
}

/** Writes a header into the beginning of `stream`. */
export function writeStreamHeader(stream: Uint8Array, { salt, noncePrefix }: StreamHeader): void {
  stream[0] = streamHeaderBytes;
  stream.set(salt, 1);
  stream.set(noncePrefix, 1 + saltBytes);
}

/** Reads the header of a stream, undefined when it is another one or too short. */
export function readStreamHeader(stream: Uint8Array): StreamHeader | undefined {
  if (stream.length < streamHeaderBytes || stream[0] !== streamHeaderBytes) return undefined;
  return {
    salt: new Uint8Array(stream.subarray(1, 1 + saltBytes)),
    noncePrefix: new Uint8Array(stream.subarray(1 + saltBytes, streamHeaderBytes)),
  };
}

/**
 * The key of one ciphertext stream: Tink's AES-GCM-HKDF streaming AEAD with the parameters of
 * `AES256_GCM_HKDF_1MB`. Each nonce has the number of its segment and whether it is the last, so that
 * segments that were reordered, repeated or cut off do not decrypt.
 *
 * @see https://developers.google.com/tink/streaming-aead/aes_gcm_hkdf_streaming
 */
export class StreamKey {
  readonly #key: CryptoKey;
  readonly #noncePrefix: Uint8Array;

  private constructor(key: CryptoKey, noncePrefix: Uint8Array) {
    this.#key = key;
    this.#noncePrefix = noncePrefix;
  }

  /**
   * Derives the key of a stream.
   *
   * @param root - the document's own key, for HKDF
   * @param use - whether the key encrypts or decrypts
   */
  static async derive(
    root: CryptoKey,
    { salt, noncePrefix }: StreamHeader,
    associatedData: Uint8Array<ArrayBuffer>,
    use: 'encrypt' | 'decrypt',
  ): Promise<StreamKey> {
    const key = await crypto.subtle.deriveKey(
      { name: 'HKDF', hash: 'SHA-256', salt, info: associatedData },
      root,
      { name: 'AES-GCM', length: 256 },
      false,
      [use],
    );
    return new StreamKey(key, noncePrefix);
  }

  /** Encrypts a segment: returns the ciphertext with its tag. */
  encrypt(segment: number, isLast: boolean, bytes: Uint8Array): Promise<ArrayBuffer> {
    // Web Crypto accepts no memory that threads share.
    const source = bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes);
    return crypto.subtle.encrypt(
      this.#parameters(segment, isLast),
      this.#key,
      source as Uint8Array<ArrayBuffer>,
    );
  }

  /**
   * Decrypts a segment.
   *
   * @param bytes - ciphertext with tag
   * @throws DecryptionError
   */
  decrypt(
    segment: number,
    isLast: boolean,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<Uint8Array<ArrayBuffer>> {
    return crypto.subtle.decrypt(this.#parameters(segment, isLast), this.#key, bytes).then(
      (plain) => new Uint8Array(plain),
      (cause) => {
        throw notDecrypted(cause);
      },
    );
  }

  #parameters(segment: number, isLast: boolean): AesGcmParams {
    const iv = new Uint8Array(12);
    iv.set(this.#noncePrefix);
    new DataView(iv.buffer).setUint32(prefixBytes, segment);
    iv[11] = Number(isLast);
    return { name: 'AES-GCM', iv };
  }
}
