import { openShare, shareUrl } from '@document-vault/sdk/share';
import { expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { startKeyClient } from './support/real-server.ts';

test('guarantee 15: the key of a link reaches no server, and opens without a passphrase', async () => {
  const asked: string[] = [];
  const recording = (url: string, init: RequestInit) => {
    asked.push(url, JSON.stringify(init));
    return fetch(url, init);
  };
  const { server, client } = await startKeyClient({}, { fetch: recording });
  const { id: vaultId } = await client.vaults.create({ name: 'Contracts' });
  const cipher = await cheapCipher('open sesame', { iterations: 1 });
  const upload = { vaultId, cipher, fileName: 'contract.txt' };
  const document = await client.documents.upload('signed', upload);
  const share = await client.shares.create(document.id, { access: 'anyone' });
  const link = await shareUrl(share, { cipher, document, page: 'https://app.example.com/open' });
  const [page, fragment = ''] = link.split('#');
  expect(page).toBe('https://app.example.com/open');
  const opened = await openShare(link, { baseUrl: server.url, fetch: recording });
  expect(new TextDecoder().decode(opened.bytes)).toBe('signed');
  const key = fragment.split('.').at(-1) ?? '';
  expect(Buffer.from(key, 'base64url')).toHaveLength(32);
  expect(asked.filter((sent) => sent.includes(key) || sent.includes('sesame'))).toEqual([]);
});
