import type { EncryptionMetadata } from '@document-vault/sdk/crypto';

/** A document that was encrypted by something else than this client; binary values are base64. */
interface Vector {
  readonly what: string;
  readonly passphrase: string;
  readonly plaintext: string;
  readonly encryptedData: string;
  readonly encryptionMetadata: EncryptionMetadata;
}

/** Made by OpenSSL 3.0: PBKDF2-HMAC-SHA-256 over the passphrase in NFC, then AES-256-GCM. */
export const vectors: readonly Vector[] = [
  {
    what: 'a text',
    passphrase: 'correct horse battery staple',
    plaintext: 'R3LDvMOfZSBhdXMgZGVtIFRyZXNvcg==',
    encryptedData: 'FbHDzoH5AzV60XtPAAJO5lbPz1jqAw==',
    encryptionMetadata: {
      algorithm: 'AES-256-GCM',
      keyDerivation: 'PBKDF2',
      iterations: 1000,
      salt: 'AAECAwQFBgcICQoLDA0ODw==',
      iv: 'AAECAwQFBgcICQoL',
      authTag: 'k/RUbm36hfXvqKaQP085oA==',
    },
  },
  {
    what: 'an empty document',
    passphrase: 'correct horse battery staple',
    plaintext: '',
    encryptedData: '',
    encryptionMetadata: {
      algorithm: 'AES-256-GCM',
      keyDerivation: 'PBKDF2',
      iterations: 600000,
      salt: 'EBESExQVFhcYGRobHB0eHw==',
      iv: 'DA0ODxAREhMUFRYX',
      authTag: 'UjFCq25K91esssdb4/pazg==',
    },
  },
  {
    what: 'a passphrase beyond ASCII',
    passphrase: 'Schlu\u0308ssel \ud83d\udd11',
    plaintext:
      'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==',
    encryptedData:
      '1x73Qm62v+IZVfZn5PXrDSbibOoRv3lkXFrE9ueZpmR41bSHu2CPeAMLLGuHKWTNJCpz45I3Y8hnBmNyxKYvwqlSheNpP8KqNpJ2Oth+nswUd3zt9MGjLLLnRJClzG3jcIEJ6801CVDCTkEeW7HjRvsTiimLhbbpKRoY0zuwN+6c1CRhx0e9JyVW+rpMuAVO4zXpiUk0ACeouYZT11cV/4ZGO2vuKBcOE4MP4tMNY2RR5LpPQ6djF61+buKYrc63SJJMMbXSIzUe3THJcHzutJ5AygXM+lIV6WChRWNG8cyMdwnZEEBedF4CFjHvB71P6+/cA8tBYiowP+3biudhuQ==',
    encryptionMetadata: {
      algorithm: 'AES-256-GCM',
      keyDerivation: 'PBKDF2',
      iterations: 1000,
      salt: 'ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=',
      iv: '//79/Pv6+fj39vX0',
      authTag: '8obx1ny+T5bIChmGbbN7Mg==',
    },
  },
];
