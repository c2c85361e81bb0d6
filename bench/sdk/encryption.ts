/** Encryption of a large document by the cipher and by Web Crypto alone. */
import { createCipher } from '@document-vault/sdk/crypto';

/** Microseconds of one encryption. */
export interface EncryptionFigures {
  readonly byClock: number;
  readonly byProcessor: number;
}

const documentSize = 16 * 1024 * 1024;

export const encryptions = {
  /** Web Crypto with a key made beforehand and a new vector for each document. */
  async bare(): Promise<() => Promise<unknown>> {
    const bytes = new Uint8Array(documentSize);
    const raw = crypto.getRandomValues(new Uint8Array(32));
    const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt']);
    return () => {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      return crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, bytes);
    };
  },

  async cipher(): Promise<() => Promise<unknown>> {
    const bytes = new Uint8Array(documentSize);
    const cipher = await createCipher({ passphrase: 'correct horse battery' });
    return () => cipher.encrypt(bytes, { fileName: 'zeros.bin' });
  },
};

export function isEncryption(name: string): name is keyof typeof encryptions {
  return Object.hasOwn(encryptions, name);
}
