/** Uploads a file with the SDK as it is built, and downloads it as a stream. */
import { open } from 'node:fs/promises';
import { DocumentVault } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { serveTransfers } from '../uploads/client-process.ts';

const [, , baseUrl = '', apiKey = ''] = process.argv;
const client = new DocumentVault({ baseUrl, apiKey });
const cipher = await createCipher({ passphrase: 'correct horse battery staple' });
const vault = await client.vaults.create({ name: 'Uploads' });

async function upload(path: string): Promise<string> {
  await using file = await open(path);
  const document = await client.documents.upload(file, {
    vaultId: vault.id,
    cipher,
    fileName: 'large.bin',
  });
  return document.id;
}

async function download(id: string): Promise<number> {
  const { stream } = await client.documents.download(id, { cipher, as: 'stream' });
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

serveTransfers({ upload, download });
