import { expect, test } from 'vitest';
import { invalid } from './support/replies.ts';
import { documentOf, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

const maxBytes = 16 * 1024;

/** An object of exactly that many bytes as JSON. Umlauts take two bytes each. */
function ofBytes(bytes: number, object: object = {}) {
  const rest = bytes - Buffer.byteLength(JSON.stringify({ ...object, free: '' }));
  return { ...object, free: 'ü'.repeat(rest / 2) + 'x'.repeat(rest % 2) };
}

const headersOf = (bytes: number) => {
  const names = ['X-A', 'X-B', 'X-C', 'X-D', 'X-E'];
  const frame = JSON.stringify(Object.fromEntries(names.map((name) => [name, '']))).length;
  const each = Math.floor((bytes - frame) / names.length);
  const left = bytes - frame - each * (names.length - 1);
  return Object.fromEntries(names.map((name, i) => [name, 'x'.repeat(i === 0 ? left : each)]));
};

const webhook = {
  url: 'https://receiver.example/hook',
  events: ['vault.created'],
  secret: 'a secret of at least 32 characters',
};
const consent = { purpose: 'Statistics', grantedTo: 'Example' };

test.each([
  ['/api/v1/consents', 'metadata', consent, ofBytes],
  ['/api/v1/webhooks', 'metadata', webhook, ofBytes],
  ['/api/v1/webhooks', 'headers', webhook, headersOf],
])(
  'POST and PUT %s accept %s of 16 KiB, and return 400 maxBytes above it',
  async (path, field, body, make) => {
    const { developer } = await startTestServer();
    const send = (bytes: number) =>
      developer('POST', path, { body: { ...body, [field]: make(bytes) } });
    const created = await send(maxBytes);
    expect(created).toMatchObject({ status: 201, body: { [field]: make(maxBytes) } });
    expect(await send(maxBytes + 1)).toMatchObject(invalid(field, 'maxBytes'));
    const changed = await developer('PUT', `${path}/${created.body.id}`, {
      body: { [field]: make(maxBytes + 1) },
    });
    expect(changed).toMatchObject(invalid(field, 'maxBytes'));
  },
);

test('POST /documents accepts encryptionMetadata of 16 KiB, and returns 400 maxBytes above it', async () => {
  const { developer } = await startTestServer();
  const vault = await newVault(developer);
  const document = documentOf(vault.id, Buffer.from('ciphertext'));
  const send = (bytes: number) =>
    developer('POST', '/api/v1/documents', {
      body: { ...document, encryptionMetadata: ofBytes(bytes, document.encryptionMetadata) },
    });
  expect(await send(maxBytes)).toMatchObject({ status: 201 });
  expect(await send(maxBytes + 1)).toMatchObject(invalid('encryptionMetadata', 'maxBytes'));
});
