// An app that is tested in a browser: a service worker hands its requests to the vault in memory.
import { DocumentVault } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { createTestVault } from '@document-vault/sdk/testing';
import { setupWorker } from 'msw/browser';

async function run(): Promise<unknown> {
  const service = createTestVault({ baseUrl: 'https://vault.example.com/app' });
  const worker = setupWorker(...service.handlers);
  await worker.start({ quiet: true });

  const client = new DocumentVault({ baseUrl: service.baseUrl, maxRetries: 0 });
  const { email, password } = service.account;
  await client.auth.login({ email, password });
  service.fault('expireTokens');
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
  const cipher = await createCipher({ passphrase: 'open sesame', iterations: 1 });
  const file = new File(['Dear Ada'], 'letter.txt', { type: 'text/plain' });
  const { id } = await client.documents.upload(file, { vaultId, cipher });
  const { bytes, fileName } = await client.documents.download(id, { cipher });
  const { rateLimit } = await client.vaults.list().withResponse();

  const failures: unknown[] = [];
  const switches = [
    () => service.fault('error'),
    () => service.fault('networkError'),
    () => service.fault('truncate'),
    () => service.fault('stall'),
    // The last one, since the client keeps to it.
    () => service.fault('rateLimit', { retryAfter: 90 }),
  ];
  for (const turnOn of switches) {
    const wrong = turnOn();
    await client.vaults.get(vaultId, { timeout: 1_000 }).catch(({ name }) => failures.push(name));
    wrong.restore();
  }
  return {
    fileName,
    text: new TextDecoder().decode(bytes),
    remaining: rateLimit?.remaining,
    refreshes: service.requests.filter(({ operation }) => operation === 'refresh').length,
    failures,
  };
}

run().then(
  (result) => Object.assign(window, { result }),
  (error) => Object.assign(window, { result: String(error?.stack ?? error) }),
);
