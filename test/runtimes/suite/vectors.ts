import type { EncryptionMetadata } from '@document-vault/sdk/crypto';

/** A document of the older format that OpenSSL has encrypted. Binary values are base64. */
interface Vector {
  readonly name: string;
  readonly id: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly passphrase: string;
  readonly plaintext: string;
  readonly encryptedData: string;
  readonly encryptionMetadata: EncryptionMetadata;
}

/** Encrypted by OpenSSL 3.0: PBKDF2-HMAC-SHA-256 over the passphrase in NFC, then AES-256-GCM. */
const openSsl = [
  {
    name: 'a text',
    passphrase: 'correct horse battery staple',
    plaintext: 'R3LDvMOfZSBhdXMgZGVtIFRyZXNvcg==',
    encryptedData: 'JB4J6WjsHvA8XSI7ThknKdmhHaCLZQ==',
    encryptionMetadata: {
      algorithm: 'AES-256-GCM',
      keyDerivation: 'PBKDF2',
      iterations: 100000,
      salt: 'AAECAwQFBgcICQoLDA0ODw==',
      iv: 'AAECAwQFBgcICQoL',
      authTag: '1aiYuaPg9uBcfTEeNav4Ew==',
    },
  },
  {
    name: 'an empty document',
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
    name: 'a passphrase with characters outside ASCII',
    passphrase: 'Schlu\u0308ssel \ud83d\udd11',
    plaintext:
      'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==',
    encryptedData:
      'IJTuleKFPyeoFcPiPyThLnlfdS1rJKQs2yR83NM11VCs8AIDXvqNvWlc1FHLFQ+0B7OBPBiFEdsPwcYwREQ1kzKnBwfZnvJjEFJQ9sU3Fa6V0wLS+IhNDiiQB6VaVX8T/76ZAVd7aFLesbnI3cCucn5SEDNfniSb31XjHPQzMWhHHL6IECGmG64oKUebhdsQlxa4UR8uuT10UKO6IB/eoG/hwWDdb1FmH8VM5vh129nwi6GcvelVxiJq1l02zvZnXKkHXDX9CQiLjIS9y7apb3L5AlrIrN654ukUl3Tfvpve8zg/I5WijwVQWuYWqcm8New4KpOq5bV/LnvdEtFbyA==',
    encryptionMetadata: {
      algorithm: 'AES-256-GCM',
      keyDerivation: 'PBKDF2',
      iterations: 100000,
      salt: 'ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=',
      iv: '//79/Pv6+fj39vX0',
      authTag: 'UCZOV8VndUvqn/t7T0B4Sw==',
    },
  },
];

export const vectors: readonly Vector[] = openSsl.map((vector, n) => ({
  ...vector,
  id: `d${n}`,
  fileName: 'a.bin',
  mimeType: 'application/octet-stream',
  sizeBytes: atob(vector.encryptedData).length,
}));

/** Of the bound format, encrypted by Python's cryptography. */
export const boundVector = {
  passphrase: 'Schlu\u0308ssel \ud83d\udd11',
  content: 'Gr\u00fc\u00dfe aus Python\n',
  renamed: 'enc.SMP-rYVnTll_TdNQnoYpGkBu0IgaVrcLq3tsUm3LbdRS',
  id: '019cadd9-1528-7f5e-848b-0eb02474ebdb',
  fileName: 'a.pdf',
  mimeType: 'application/pdf',
  sizeBytes: 167,
  encryptedData:
    'KAoGpb83dYvT27bQl0orhO0xP7gTbQbPV32EiM1m6FXqjNzJH9JhcVgHk2fxe2AclHYOHb4/pZ820Yr5vFXA0jNYzc3mDHo4xDyHFLNCPQ/Tals/JWY0QQrX7zeeySEi3FPt1Zux9EyWVVjfRedlwbp6e4g3vSJz5HY46zm4yQQQSgjzM5wCeHkFm7YPoHq6Lc530KIrgaOX/+/YDGtdmlcpHK6H9AM=',
  encryptionMetadata: {
    algorithm: 'AES256_GCM_HKDF_1MB',
    keyDerivation: 'PBKDF2',
    iterations: 1000,
    salt: 'rdCI8mkLAOHqlVYl+hItuQ==',
    wrappedKey: 'MbJjg2S7tIgc3ZbX9pHhatvVcpiTl2UmEF7NlSXyCQTZqnFzwFI01w==',
    iv: 'jNzJH9JhcQ==',
    authTag: 'o5f/79gMa12aVykcrof0Aw==',
    binding: 'trZh/rcE36w2EfyNkFRVXQ==',
  },
};
