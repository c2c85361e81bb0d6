import type { DocumentSource } from '@document-vault/sdk';
import { type Cipher, decodeText } from '@document-vault/sdk/crypto';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { beforeAll, describe, expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { startKeyClient } from './support/real-server.ts';

let cipher: Cipher;
beforeAll(async () => {
  cipher = await cheapCipher('open sesame');
});

const octets = 'application/octet-stream';
const content = new Uint8Array([1, 2, 3]);
const latin = Uint8Array.from(Buffer.from('Grüße', 'latin1'));

/** Starts a server with a vault, and uploads a source to it. */
async function startWithVault() {
  const { client } = await startKeyClient();
  const { id: vaultId } = await client.vaults.create({ name: 'Files' });
  const upload = (source: DocumentSource, mimeType?: string) =>
    client.documents.upload(source, { vaultId, cipher, fileName: 'a.bin', mimeType });
  return { client, upload };
}

describe('documents.upload', () => {
  test.each([
    ['audio/webm;codecs=opus', 'audio/webm'],
    ['text/plain; charset=utf-8', 'text/plain'],
    [' image/PNG ', 'image/PNG'],
    ['foo', octets],
    ['*/*', octets],
    ['', octets],
    [`text/${'x'.repeat(200)}`, octets],
    ['text/plain charset=utf-8', octets],
  ])('stores a content of the type %j as %s', async (given, mimeType) => {
    const { client, upload } = await startWithVault();
    const document = await upload(content, given);
    expect(document.mimeType).toBe(mimeType);
    const downloaded = await client.documents.download(document.id, { cipher });
    expect(downloaded).toMatchObject({ mimeType, bytes: content });
    const file = Object.defineProperty(new File([content], 'b.bin'), 'type', { value: given });
    expect((await upload(file)).mimeType).toBe(mimeType);
  });

  test('seals the charset of a text, which download, stream and openShare return', async () => {
    const { client, upload } = await startWithVault();
    const document = await upload(latin, 'text/plain; Charset="ISO-8859-1"');
    expect(JSON.stringify(document)).not.toMatch(/8859/);
    const charset = 'iso-8859-1';
    const bytes = await client.documents.download(document.id, { cipher });
    expect(bytes).toMatchObject({ charset, mimeType: 'text/plain' });
    expect(decodeText(bytes.bytes, bytes)).toBe('Grüße');
    const stream = await client.documents.download(document.id, { cipher, as: 'stream' });
    expect(stream.charset).toBe(charset);
    const share = await client.shares.create(document.id, { access: 'anyone' });
    const opened = await openShare(await shareUrl(share, { cipher, document }));
    expect(opened.charset).toBe(charset);
  });

  test('seals no charset of a string: its bytes are UTF-8', async () => {
    const { client, upload } = await startWithVault();
    const document = await upload('Grüße', 'text/plain; charset=iso-8859-1');
    const { bytes, charset } = await client.documents.download(document.id, { cipher });
    expect(charset).toBeUndefined();
    expect(decodeText(bytes)).toBe('Grüße');
  });
});

test('an encryptor continues with the charset of its state', async () => {
  const about = { fileName: 'a.txt', mimeType: 'text/plain;charset=latin1', size: latin.length };
  const first = await cipher.encryptor(about);
  const resumed = await cipher.resumeEncryptor(JSON.parse(JSON.stringify(first.state)));
  expect(await resumed.segment(0, latin)).toEqual(await first.segment(0, latin));
  expect(first.state).toMatchObject({ mimeType: 'text/plain', charset: 'latin1' });
});

describe('decodeText', () => {
  const mark = (start: number[], text: Uint8Array) => new Uint8Array([...start, ...text]);
  const wide = Uint8Array.from(Buffer.from('Grüße', 'utf16le'));

  test.each<[string, Uint8Array, string | undefined, string]>([
    ['the named encoding', latin, 'iso-8859-1', 'Grüße'],
    ['a UTF-16 mark, also against the name', mark([0xff, 0xfe], wide), 'utf-8', 'Grüße'],
    ['a UTF-8 mark', mark([0xef, 0xbb, 0xbf], Buffer.from('Grüße')), 'latin1', 'Grüße'],
    ['valid UTF-8', Buffer.from('Grüße 😀'), undefined, 'Grüße 😀'],
    ['UTF-8 when the name is unknown', Buffer.from('Grüße'), 'x-unknown', 'Grüße'],
    ['windows-1252 when it is not UTF-8', latin, undefined, 'Grüße'],
  ])('decodes by %s', (_, bytes, charset, text) => {
    expect(decodeText(bytes, { charset })).toBe(text);
  });

  test('leaves out a character that is cut, and only then', () => {
    const cut = Buffer.from('Grü').subarray(0, 3);
    expect(decodeText(cut, { isCut: true })).toBe('Gr');
    expect(decodeText(cut)).toBe('GrÃ');
  });
});
