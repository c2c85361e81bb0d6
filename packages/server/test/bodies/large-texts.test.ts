import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { takeLargeText } from '../../src/http/bodies/large-text.ts';
import { checkStructure } from '../../src/http/bodies/structure.ts';
import { invalid } from '../support/replies.ts';
import { documentOf, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

const content = Buffer.from(Array.from({ length: 100_001 }, (_, index) => (index * 31) % 251));
const text = content.toString('base64');
/** Takes the large text out of a body; undefined when there is none. */
async function take(json: string) {
  const body = Buffer.from(json);
  const span = checkStructure(body, true);
  return span && takeLargeText(body, span);
}

describe('takeLargeText', () => {
  test('returns content and frame for any length and any text around it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 50_000, max: 50_010 }),
        fc.object(),
        fc.boolean(),
        async (length, rest, escapes) => {
          const bytes = content.subarray(0, length);
          const plain = JSON.stringify({
            a: rest,
            encryptedData: bytes.toString('base64'),
            b: 'ü"{[\\',
          });
          const taken = await take(escapes ? plain.replaceAll('/', '\\/') : plain);
          expect(taken?.content.equals(bytes)).toBe(true);
          expect(JSON.parse(`${taken?.frame}`)).toEqual({
            ...JSON.parse(plain),
            encryptedData: taken?.placeholder,
          });
        },
      ),
    );
  });

  test('decodes a text in which every character is escaped', async () => {
    const escaped = text.replaceAll(
      /./g,
      (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
    );
    const taken = await take(`{"encryptedData":"${escaped}"}`);
    expect(taken?.content.equals(content)).toBe(true);
  });

  test.each([
    ['small', `{"encryptedData":"${text.slice(0, 1000)}"}`],
    ['small in a large body', `{"encryptedData":"AAAA","a":"${'x'.repeat(60_000)}"}`],
    ['the value of a list', `["encryptedData","${text.slice(0, 40_000)}"]`],
    ['nested', `{"a":{"encryptedData":"${text.slice(0, 40_000)}"}}`],
    ['named in another text', `{"a":"\\"encryptedData\\":","b":"${text.slice(0, 40_000)}"}`],
    ['named by the value before', `{"a":"encryptedData","b":"${text.slice(0, 40_000)}"}`],
  ])('takeLargeText returns undefined for a text that is %s', async (_, json) => {
    expect(await take(json)).toBeUndefined();
  });

  test.each([
    ['in the alphabet of URLs', `-_-_${text}`],
    ['with line breaks', `${text.slice(0, 400)}\\n${text.slice(400)}`],
    ['with padding inside', `AAA=${text}`],
    ['with a character after its padding', `${text.slice(0, -4)}AA=A`],
    ['of a wrong length', `A${text}`],
    ['with other characters', `****${text}`],
    ['with an escape that JSON does not have', `\\x41AA${text}`],
  ])('the placeholder of a text %s is not base64 either', async (_, wrong) => {
    const taken = await take(`{"encryptedData":"${wrong}"}`);
    expect(taken?.placeholder).toBe('****');
    expect(taken?.content.length).toBe(0);
  });
});

describe('large document', () => {
  test('it is returned unchanged, from one block of memory or several', async () => {
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

  test('an invalid one returns the same errors as a small one', async () => {
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

  test('the last of two values counts', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const json = JSON.stringify(documentOf(vault.id, content, { sizeBytes: 3 }));
    const body = json.replace(/\}$/, ',"encrypted\\u0044ata":"AAAA"}');
    const created = await developer('POST', '/api/v1/documents', { body });
    expect(created).toMatchObject({ status: 201, body: { sizeBytes: 3 } });
  });

  test('a repeated Idempotency-Key returns the same document, and another content is rejected', async () => {
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
