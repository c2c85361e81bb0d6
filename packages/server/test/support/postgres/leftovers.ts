import { expect } from 'vitest';
import { documentOf, newConsent, newDocument, newShare, newVault } from '../resources.ts';
import type { TestServer } from '../server.ts';

/** Leaves something behind for every step of the sweeper. */
export async function leaveAll(server: TestServer): Promise<void> {
  const call = server.developer;
  const { email, password } = server.account ?? expect.fail();
  const signedIn = await server.signIn({ email, password });
  const { body: key } = await signedIn('POST', '/api/v1/api-keys', {
    body: { name: 'Old', scopes: ['vaults:read'] },
  });
  await signedIn('DELETE', `/api/v1/api-keys/${key.keyId}`);
  const expiresAt = new Date(server.clock.now() + 60_000).toISOString();
  const vault = await newVault(call);
  const { id } = await newDocument(call, vault.id, 'x');
  await newShare(call, id, { expiresAt });
  const { shareToken } = await newShare(call, id, { access: 'anyone' });
  expect((await call('GET', `/shares/${shareToken}`)).status).toBe(200);
  await newConsent(call, { expiresAt });
  await call('POST', '/api/v1/uploads', { body: { vaultId: vault.id, sizeBytes: 1 } });
  const deleted = await newVault(call);
  await call('POST', '/api/v1/documents', {
    body: documentOf(deleted.id, 'y'),
    headers: { 'idempotency-key': 'once' },
  });
  await call('DELETE', `/api/v1/vaults/${deleted.id}`);
}
