import { expect } from 'vitest';
import type { Caller } from './server.ts';

// Creates resources over REST and returns the bodies of the responses.

type Fields = Readonly<Record<string, unknown>>;

export const encryptionMetadata = {
  algorithm: 'AES-256-GCM',
  keyDerivation: 'PBKDF2',
  iterations: 600_000,
  salt: 'K8mQBZRzRI5uvUQqoWv6oA==',
  iv: 'NnEGZNYbkpXlQl/w',
  authTag: 'nM3qSMMl6cDfwAXBfDpN5g==',
};

/** The request body that uploads this content. */
export function documentOf(vaultId: string, content: Uint8Array | string, fields: Fields = {}) {
  const bytes = Buffer.from(content);
  return {
    vaultId,
    fileName: 'letter.pdf',
    encryptedData: bytes.toString('base64'),
    sizeBytes: bytes.length,
    mimeType: 'application/pdf',
    encryptionMetadata,
    ...fields,
  };
}

async function create(call: Caller, path: string, body: object) {
  const created = await call('POST', path, { body });
  expect(created).toMatchObject({ status: 201 });
  return created.body;
}

export function newVault(call: Caller, fields: Fields = {}) {
  return create(call, '/api/v1/vaults', { name: 'Taxes', ...fields });
}

export function newDocument(
  call: Caller,
  vaultId: string,
  content: Uint8Array | string = 'ciphertext',
  fields: Fields = {},
) {
  return create(call, '/api/v1/documents', documentOf(vaultId, content, fields));
}

export function newShare(call: Caller, documentId: string, fields: Fields = {}) {
  return create(call, `/api/v1/documents/${documentId}/share`, fields);
}

export function newKey(call: Caller, scopes: readonly string[]) {
  return create(call, '/api/v1/api-keys', { name: 'Key', scopes });
}

/** The request body that registers a web application. */
export function clientOf(fields: Fields = {}) {
  return {
    name: 'Tax Assistant',
    type: 'confidential',
    redirectUris: ['https://tax.example.com/callback'],
    scopes: ['vaults:read', 'documents:read'],
    ...fields,
  };
}

export function newClient(call: Caller, fields: Fields = {}) {
  return create(call, '/api/v1/oauth/clients', clientOf(fields));
}

export function newConsent(call: Caller, fields: Fields = {}) {
  const consent = { purpose: 'Tax return', grantedTo: 'Linden Tax Advisers', ...fields };
  return create(call, '/api/v1/consents', consent);
}
