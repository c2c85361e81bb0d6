// Generated from openapi/rules/documents.ts by `npm run generate`. Do not edit.

import { violation } from './errors.ts';

// The rules for documents that a schema cannot express.

/**
 * Checks the content of a document.
 *
 * @param length bytes of its content
 * @throws ServiceError VALIDATION_ERROR: `maxDecodedLength`, `decodedLength`
 */
export function requireDecodedLength(length: number, sizeBytes: number, maxBytes: number): void {
  if (length > maxBytes) {
    const message = `encryptedData must be at most ${maxBytes} bytes when decoded.`;
    throw violation('encryptedData', 'maxDecodedLength', message);
  }
  if (length === sizeBytes) return;
  const message = `sizeBytes is ${sizeBytes}, but encryptedData decodes to ${length} bytes.`;
  throw violation('sizeBytes', 'decodedLength', message);
}

/**
 * Returns the vault if it takes documents.
 *
 * @throws ServiceError VALIDATION_ERROR, `active`
 */
export function requireActive<Vault extends { readonly isActive: boolean }>(vault: Vault): Vault {
  if (vault.isActive) return vault;
  throw violation('vaultId', 'active', 'This vault is inactive and takes no documents.');
}

interface Owned {
  readonly userId: string;
}

/** @throws ServiceError VALIDATION_ERROR, `sameAccount` */
export function requireSameAccount(document: Owned, vault: Owned): void {
  if (vault.userId === document.userId) return;
  throw violation('vaultId', 'sameAccount', 'A document moves within its own account only.');
}

/** The encryption metadata that a caller without the passphrase may have. */
interface Encrypted {
  readonly encryptionMetadata: {
    readonly algorithm: string;
    readonly iv: string;
    readonly authTag: string;
  };
}

/**
 * Removes everything that an offline guess of the passphrase needs: salt, iterations, wrapped key. Free-form properties
 * are removed too, because a client can store the same under other names.
 */
export function withoutDerivation<Document extends Encrypted>(document: Document): Document {
  const { algorithm, iv, authTag } = document.encryptionMetadata;
  return { ...document, encryptionMetadata: { algorithm, iv, authTag } };
}
