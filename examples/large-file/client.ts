/** What both programs use. */
import { DocumentVault } from '@document-vault/sdk';

/** Returns an unlocked client of the account that VAULT_API_KEY belongs to. */
export async function unlockedClient(): Promise<DocumentVault> {
  const recoveryKey = process.env.VAULT_RECOVERY_KEY;
  if (!recoveryKey) throw new Error('VAULT_RECOVERY_KEY is not set: create-keyring.ts prints one');
  const client = new DocumentVault();
  await client.unlock({ recoveryKey });
  return client;
}

/** Shows a progress in per cent, in one line of a terminal. Does nothing elsewhere. */
export function showProgress(verb: string, loaded: number, total: number): void {
  if (!process.stderr.isTTY) return;
  const percent = total === 0 ? 100 : Math.floor((100 * loaded) / total);
  process.stderr.write(`\r${verb} ${percent} %${loaded === total ? '\n' : ''}`);
}
