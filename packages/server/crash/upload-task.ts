import { createCipheriv } from 'node:crypto';

/** What an uploading process has to do. */
export interface UploadTask {
  readonly url: string;
  readonly apiKey: string;
  readonly vaultId: string;
  readonly passphrase: string;
  /** Chooses the content. */
  readonly seed: number;
  /** Bytes of the content. */
  readonly size: number;
  readonly checkpointFile: string;
}

/** What an uploading process reports. */
export type UploadReport = 'began' | { readonly id: string } | { readonly failure: string };

/** Returns the content of a seed: the same bytes in every process. */
export function contentOf(seed: number, size: number): Uint8Array<ArrayBuffer> {
  const key = Buffer.alloc(16);
  key.writeUInt32LE(seed);
  const stream = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  return new Uint8Array(stream.update(Buffer.alloc(size)));
}
