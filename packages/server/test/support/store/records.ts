import type { DocumentRecord } from '../../../src/store/repositories/documents.ts';
import type { VaultRecord } from '../../../src/store/repositories/vaults.ts';

// Records with defaults, for tests of the store.

interface Owner {
  readonly owner: { readonly userId: string; readonly instanceId: string };
}

export function vaultRecord(
  { owner }: Owner,
  id: string,
  fields: Partial<VaultRecord> = {},
): VaultRecord {
  return {
    id,
    ...owner,
    name: 'Vault',
    description: null,
    category: null,
    isActive: true,
    documentCount: 0,
    totalSize: 0,
    createdAt: 0,
    updatedAt: 0,
    ...fields,
  };
}

export function documentRecord(
  vault: VaultRecord,
  fields: Partial<DocumentRecord> & Pick<DocumentRecord, 'id'>,
): DocumentRecord {
  return {
    vaultId: vault.id,
    userId: vault.userId,
    fileName: 'letter.pdf',
    mimeType: 'application/pdf',
    sizeBytes: 0,
    encryptionMetadata: {},
    uploadedAt: 0,
    updatedAt: 0,
    ...fields,
  };
}
