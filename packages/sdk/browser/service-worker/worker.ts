// A service worker that encrypts, uploads and downloads. It is bundled into one file: service workers refuse `import()`.
import { DocumentVault } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';

/** What the worker does it with. */
export interface Job {
  readonly baseUrl: string;
  readonly token: string;
  readonly vaultId: string;
}

/** Uploads a document by the keyring and one by a cipher, and returns the texts that were downloaded. */
async function run({ baseUrl, token, vaultId }: Job): Promise<string[]> {
  const client = new DocumentVault({ baseUrl, accessToken: () => token });
  await client.keyring.create({ passphrase: 'correct horse battery staple' });
  const cipher = await createCipher({ passphrase: 'open sesame' });
  const texts: string[] = [];
  for (const options of [{}, { cipher }]) {
    const about = { ...options, vaultId, fileName: 'a.txt', onProgress: () => {} };
    const { id } = await client.documents.upload(`Dear Ada ${texts.length}`, about);
    const { bytes } = await client.documents.download(id, options);
    texts.push(new TextDecoder().decode(bytes));
  }
  return texts;
}

addEventListener('message', ({ data, ports }) => {
  run(data).then(
    (texts) => ports[0]?.postMessage(texts),
    (error: Error) => ports[0]?.postMessage(`${error.name}: ${error.message}`),
  );
});
