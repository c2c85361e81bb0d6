/** An account with a keyring at a fake service, for the tests of unlocked clients. */
import type { Document, DocumentVault } from '@document-vault/sdk';
import { AccountService, vaultId } from './account-service.ts';

export const passphrase = 'correct horse battery staple';
export const currentPassword = 'the password of the login';
export const otherVault = '019cadd9-1528-7b02-8d4f-6c2a7b1e5f89';
export const content = new TextEncoder().encode('Total due: 42.00');
export const about = { vaultId, fileName: 'return.txt', encryptFileName: true };

/** Creates an account with a keyring, and its unlocked client. */
export async function unlockedAccount() {
  const service = new AccountService();
  const client = service.client();
  const { recoveryKey } = await client.keyring.create({ passphrase });
  service.requests.length = 0;
  return { service, client, recoveryKey };
}

/** Uploads a document. The requests of the upload are not counted. */
export async function uploaded(service: AccountService, client: DocumentVault): Promise<Document> {
  const document = await client.documents.upload(content, about);
  service.requests.length = 0;
  return document;
}

/** Another device of the account, unlocked. */
export async function device(service: AccountService, recoveryKey: string): Promise<DocumentVault> {
  const other = service.client();
  await other.unlock({ recoveryKey });
  service.requests.length = 0;
  return other;
}
