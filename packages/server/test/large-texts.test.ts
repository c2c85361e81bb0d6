import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { takeLargeText } from '../src/http/middleware/large-text.ts';
import { invalid } from './answers.ts';
import { documentOf, newVault } from './resources.ts';
import { startTestServer } from './server.ts';

const content = Buffer.from(Array.from({ length: 100_001 }, (_, index) => (index * 31) % 251));
const text = content.toString('base64');
const take = (json: string) => takeLargeText(Buffer.from(json), 'data');

describe('a large text', () => {
  test('is taken out and decoded, whatever its length and what stands around it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 50_000, max: 50_010 }), fc.object(), (length, rest) => {
        const bytes = content.subarray(0, length);
        const json = JSON.stringify({ a: rest, data: bytes.toString('base64'), b: 'ü"{[' });
        const taken = take(json);
        const depth = JSON.stringify(rest).includes('"data"');
        if (depth && taken === undefined) return;
        expect(taken?.content.equals(bytes)).toBe(true);
        expect(JSON.parse(`${taken?.frame}`)).toEqual({
          a: JSON.parse(JSON.stringify(rest)),
          data: taken?.placeholder,
          b: 'ü"{[',
        });
      }),
    );
  });

  test.each([
    ['small', `{"data":"${text.slice(0, 1000)}"}`],
    ['of another name', `{"other":"${text}"}`],
    ['deeper inside', `{"a":{"data":"${text}"}}`],
    ['in a list', `["data","${text}"]`],
    ['named in another text', `{"a":"\\"data\\":","b":"${text}"}`],
    ['without an end', `{"data":"${text}`],
    ['before much else', `{"data":"${text}","b":"${'x'.repeat(100_000)}"}`],
    ['in the alphabet of URLs', `{"data":"-_-_${text}"}`],
    ['with line breaks', `{"data":"${text.slice(0, 400)}\\n${text.slice(400)}"}`],
    ['with padding inside', `{"data":"AAA=${text}"}`],
    ['of a wrong length', `{"data":"A${text}"}`],
    ['with other characters', `{"data":"****${text}"}`],
    ['no text', `{"data":[${'1,'.repeat(50_000)}1]}`],
  ])('%s is left in its place', (_, json) => {
    expect(take(json)).toBeUndefined();
  });

  test('is looked for in one walk, whatever stands before it', () => {
    const json = Buffer.from(`{"${'\\"'.repeat(32_000)}data":"${text}"}`);
    // Milliseconds a time; a search by the square of the length takes minutes for all of them.
    for (let time = 0; time < 50; time += 1) expect(takeLargeText(json, 'data')).toBeUndefined();
  });
});

describe('a large document', () => {
  test('comes back as it was sent, in one piece of memory or several', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    for (const bytes of [content, Buffer.alloc(2_000_000, content)]) {
      const created = await developer('POST', '/api/v1/documents', {
        body: documentOf(vault.id, bytes),
      });
      expect(created).toMatchObject({ status: 201, body: { sizeBytes: bytes.length } });
      const { body } = await developer('GET', `/api/v1/documents/${created.body.id}`);
      expect(Buffer.from(body.encryptedData, 'base64').equals(bytes)).toBe(true);
    }
  });

  test('is refused like a small one', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const upload = (fields: object) =>
      developer('POST', '/api/v1/documents', {
        body: documentOf(vault.id, content, { ...fields }),
      });
    expect(await upload({ sizeBytes: 1 })).toMatchObject(invalid('sizeBytes', 'decodedLength'));
    expect(await upload({ encryptedData: `****${text}` })).toMatchObject(
      invalid('encryptedData', 'format'),
    );
  });

  test('given twice counts as it was given last', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const json = JSON.stringify(documentOf(vault.id, content, { sizeBytes: 3 }));
    const body = json.replace(/\}$/, ',"encrypted\\u0044ata":"AAAA"}');
    const created = await developer('POST', '/api/v1/documents', { body });
    expect(created).toMatchObject({ status: 201, body: { sizeBytes: 3 } });
  });

  test('is repeated under the same Idempotency-Key, not stored twice', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const headers = { 'Idempotency-Key': 'large' };
    const body = documentOf(vault.id, Buffer.alloc(2_000_000, content));
    const first = await developer('POST', '/api/v1/documents', { body, headers });
    const again = await developer('POST', '/api/v1/documents', { body, headers });
    expect(again.body).toEqual(first.body);
    const other = documentOf(vault.id, Buffer.alloc(2_000_000, 1));
    const refused = await developer('POST', '/api/v1/documents', { body: other, headers });
    expect(refused.status).toBe(400);
  });
});
