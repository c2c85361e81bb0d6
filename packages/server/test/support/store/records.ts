import { createHash } from 'node:crypto';
import type { DocumentRecord } from '../../../src/store/rows/documents/documents.ts';
import type { VaultRecord } from '../../../src/store/rows/documents/vaults.ts';
import type { OAuthClientRecord } from '../../../src/store/rows/oauth/clients.ts';
import type { Repositories } from '../../../src/store/store.ts';

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
    content: contentOf(new Uint8Array()),
    uploadedAt: 0,
    updatedAt: 0,
    ...fields,
  };
}

/** What the row of a document says about a content of one request. */
export function contentOf(bytes: Uint8Array): DocumentRecord['content'] {
  const digest = createHash('sha256').update(bytes).digest();
  return { store: 'database', digest, partBytes: null };
}

/** Stores a document with a content, whose length may differ from `sizeBytes`. */
export async function insertDocument(
  tx: Repositories,
  document: DocumentRecord,
  bytes: Uint8Array = new Uint8Array(),
): Promise<void> {
  await tx.documents.insert({ ...document, content: contentOf(bytes) });
  await tx.contents.insert(document.id, bytes);
}

export function clientRecord(
  fields: Partial<OAuthClientRecord> & Pick<OAuthClientRecord, 'id' | 'userId'>,
): OAuthClientRecord {
  return {
    name: 'Reader',
    verified: false,
    type: 'public',
    redirectUris: ['https://app.example.com/callback'],
    scopes: ['vaults:read'],
    grantTypes: ['authorization_code'],
    tokenEndpointAuthMethod: 'none',
    jwks: null,
    requirePar: false,
    disabled: false,
    secretHash: null,
    previousSecretHash: null,
    previousSecretUntil: null,
    locked: false,
    credentialsVersion: 0,
    identityChangedAt: 0,
    createdAt: 0,
    updatedAt: 0,
    ...fields,
  };
}
