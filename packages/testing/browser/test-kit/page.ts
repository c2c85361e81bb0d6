// An app that is tested in a browser: a service worker hands its requests to the vault in memory.
import { DocumentVault } from '@document-vault/sdk';
import { createTestVault, type TestVault } from '@document-vault/testing';
import { setupWorker } from 'msw/browser';

/** Uploads a ciphertext as one part, and reads a range of it with a connection that breaks. */
async function uploadAndRead(
  service: TestVault,
  client: DocumentVault,
  vaultId: string,
): Promise<unknown> {
  const ciphertext = Uint8Array.from({ length: 256 }, (_, index) => index);
  const sizeBytes = ciphertext.length;
  const { id: uploadId } = await client.uploads.create({ vaultId, sizeBytes });
  await client.uploads.putPart(uploadId, 0, ciphertext);
  const { id } = await client.documents.create({
    fileName: 'bytes',
    mimeType: 'text/plain',
    encryptionMetadata: { algorithm: 'none', iv: 'AAAA', authTag: 'AAAA' },
    vaultId,
    sizeBytes,
    uploadId,
  });
  service.fault('truncate', { operations: 'getDocumentContent' });
  const range = { start: 250, end: 256 };
  const { stream } = await client.documents.content(id, { range, maxRetries: 1 });
  const url = `${service.baseUrl}/api/v1/documents/${id}/content`;
  const { apiKey } = service.account;
  const etag = (await fetch(url, { headers: { 'x-api-key': apiKey } })).headers.get('etag') ?? '';
  const conditional = { 'x-api-key': apiKey, 'if-none-match': etag };
  return {
    bytes: [...new Uint8Array(await new Response(stream).arrayBuffer())],
    ranges: service.requests.flatMap(({ headers }) => headers.range ?? []),
    unchanged: (await fetch(url, { headers: conditional, cache: 'no-store' })).status,
  };
}

async function run(): Promise<unknown> {
  const service = createTestVault({ baseUrl: 'https://vault.example.com/app' });
  const worker = setupWorker(...service.handlers);
  await worker.start({ quiet: true });

  const client = new DocumentVault({ baseUrl: service.baseUrl, session: {}, maxRetries: 0 });
  const { email, password } = service.account;
  await client.auth.login({ email, password });
  service.fault('expireTokens');
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
  await client.keyring.create({ passphrase: 'open sesame' });
  const file = new File(['Dear Ada'], 'letter.txt', { type: 'text/plain' });
  const { id } = await client.documents.upload(file, { vaultId });
  const { bytes, fileName } = await client.documents.download(id);
  const content = await uploadAndRead(service, client, vaultId);
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
    content,
    remaining: rateLimit?.remaining,
    refreshes: service.requests.filter(({ operation }) => operation === 'refresh').length,
    failures,
  };
}

run().then(
  (result) => Object.assign(window, { result }),
  (error) => Object.assign(window, { result: String(error?.stack ?? error) }),
);
