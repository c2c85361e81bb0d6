import type { EncryptionMetadata } from '@document-vault/sdk/crypto';

/** A document that OpenSSL has encrypted. Binary values are base64. */
interface Vector {
  readonly name: string;
  readonly passphrase: string;
  readonly plaintext: string;
  readonly encryptedData: string;
  readonly encryptionMetadata: EncryptionMetadata;
}

/** Encrypted by OpenSSL 3.0: PBKDF2-HMAC-SHA-256 over the passphrase in NFC, then AES-256-GCM. */
export const vectors: readonly Vector[] = [
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
