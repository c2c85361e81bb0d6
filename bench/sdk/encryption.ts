/** Encryption of a large document by the cipher and by Web Crypto alone. */
import { createCipher } from '@document-vault/sdk/crypto';

export const documentSize = 16 * 1024 * 1024;

/** First Web Crypto alone: a key made beforehand, a fresh vector for each document. */
export async function encryptions(): Promise<(() => Promise<unknown>)[]> {
  const bytes = new Uint8Array(documentSize);
  const raw = crypto.getRandomValues(new Uint8Array(32));
  const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt']);
  const cipher = await createCipher({ passphrase: 'correct horse battery', iterations: 1 });
  return [
    () => {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      return crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, bytes);
    },
    () => cipher.encrypt(bytes, { fileName: 'zeros.bin' }),
  ];
}
