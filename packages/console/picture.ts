/** Makes the picture of the README, `docs/console.png`: the documents of a vault. `npm run console:picture` */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { signIn, startConsole, unlock } from './browser/support/console.ts';

const path = fileURLToPath(new URL('../../docs/console.png', import.meta.url));

const documents = [
  ['Insurance policy.pdf', 'application/pdf', 184_320],
  ['Receipts 2026.csv', 'text/csv', 12_544],
  ['Scan of the passport.png', 'image/png', 2_411_724],
  ['Letter to the tax office.txt', 'text/plain', 1_830],
  ['Tax return 2026.pdf', 'application/pdf', 421_888],
] as const;

const testConsole = await startConsole();
const client = await testConsole.unlocked();
const vault = await client.vaults.create({ name: 'Taxes', category: 'personal' });
for (const [fileName, mimeType, size] of documents) {
  const options = { vaultId: vault.id, fileName, mimeType, encryptFileName: true };
  await client.documents.upload(new Uint8Array(size), options);
}
const visit = await testConsole.open({ path: `vaults/${vault.id}` });
await signIn(testConsole, visit);
await unlock(visit);
const { page } = visit;
await page.setViewportSize({ width: 1120, height: 640 });
await page.getByRole('button', { name: 'Tax return 2026.pdf', exact: true }).waitFor();
await mkdir(new URL('../../docs/', import.meta.url), { recursive: true });
await page.screenshot({ path });
await testConsole.close();
