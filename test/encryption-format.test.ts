import { readFile } from 'node:fs/promises';
import { createCipher } from '@document-vault/sdk/crypto';
import { shareUrl } from '@document-vault/sdk/share';
import { describe, expect, test } from 'vitest';
import { hasCryptography, readBlock, runPython } from './format-page.ts';

/** The page from which other languages implement the encryption. */
const page = 'formats.md';
const vector = JSON.parse(await readBlock(page, 'json'));
const { document, passphrase } = vector;

describe('the test vector', () => {
  test('the SDK decrypts content, name and key of the vector', async () => {
    const cipher = await createCipher({ passphrase });
    const { bytes, ...facts } = await cipher.unseal(document);
    expect(Buffer.from(bytes).toString()).toBe(vector.content);
    const { fileName, mimeType } = document;
    expect(facts).toEqual({ fileName, mimeType });
    const renamed = { ...document, fileName: vector.renamed.fileName };
    expect(await cipher.fileName(renamed)).toBe(vector.renamed.name);
    expect(await cipher.unseal(renamed)).toMatchObject({ fileName: vector.renamed.name });
    const key = await cipher.documentKey(document);
    expect(Buffer.from(key).toString('hex')).toBe(vector.documentKey);
  });

  test('PBKDF2 of Node derives the key of the vector', async () => {
    const { pbkdf2Sync } = await import('node:crypto');
    const { salt, iterations } = document.encryptionMetadata;
    const derived = pbkdf2Sync(passphrase, Buffer.from(salt, 'base64'), iterations, 32, 'sha256');
    expect(derived.toString('hex')).toBe(vector.derivedKey);
  });

  test('every example of the contract with encrypted content is the vector', async () => {
    const contract = JSON.parse(await readFile('openapi/v1.json', 'utf8'));
    const upload = contract.paths['/api/v1/documents'].post.requestBody;
    expect(upload.content['application/json'].examples.encrypted.value).toMatchObject(document);
    expect(contract.components.examples.DocumentWithContent.value).toMatchObject(document);
  });
});

/** Of tink-java: `AesGcmHkdfStreamingTestUtil`. None has the parameters of documents. */
const tinkVectors = [
  {
    name: 'AES-128, SHA-1 and three segments',
    hash: 'SHA1',
    segment: 64,
    key: '6eb56cdc726dfbe5d57f2fcdc6e9345b',
    associatedData: Buffer.from('aad').toString('hex'),
    plaintext:
      'This is a fairly long plaintext. It is of the exact length to create three output blocks. ',
    ciphertext:
      '1893b3af5e14ab378d065addfc8484da642c0862877baea8' +
      'db92d9c77406a406168478821c4298eab3e6d531277f4c1a051714faebcaefcbca7b7be05e9445ea' +
      'a0bb2904153398a25084dd80ae0edcd1c3079fcea2cd3770630ee36f7539207b8ec9d754956d486b71cdf989f0ed6fba6779b63558be0a66e668df14e1603cd2' +
      'af8944844078345286d0b292e772e7190775c51a0f83e40c0b75821027e7e538e111',
  },
  {
    name: 'AES-128, SHA-256 and nothing',
    hash: 'SHA256',
    segment: 64,
    key: '6eb56cdc726dfbe5d57f2fcdc6e9345b',
    associatedData: '',
    plaintext: '',
    ciphertext: '18be78bce0cab6fd38a9041eea8ab0ffc4cf17e3c00b661d3927f5f79069f41a210fedc40b25648c',
  },
  {
    name: 'AES-256, SHA-1 and a full first segment',
    hash: 'SHA1',
    segment: 120,
    key: '00112233445566778899aabbccddeeff6eb56cdc726dfbe5d57f2fcdc6e9345b',
    associatedData: '00010203',
    plaintext: 'BLOCK 1.BLOCK 2.BLOCK 3.BLOCK 4.BLOCK 5.BLOCK 6.BLOCK 7.BLOCK 8.',
    ciphertext:
      '28782994617714a80fa085e15051a16854522330d6d0f26c049b2192f09cdd98b2eb90c753bfff277a29e54fa4afb15d648c28477eb07f012535c767f5fdce24ffffae318480c1d37357d6d3c511159318afa09ef38aa3f5456fd7817c5c02dd6e1a7fef174c8bd24e38b5982ac105497c0101ac5581fe5b',
  },
];

const otherId = '019cadd9-1528-7f5e-848b-0eb02474ebdc';

/** The vector's content with one bit flipped in the ciphertext. */
function changed(): string {
  const bytes = Buffer.from(document.encryptedData, 'base64');
  bytes[60] = (bytes[60] ?? 0) ^ 1;
  return bytes.toString('base64');
}

const program = await readBlock(page, 'python');

/** Runs the program of the page with further lines and returns what it prints as JSON. */
function python(lines: string, input: unknown): unknown {
  return runPython(`${program}\n${lines}`, input);
}

/** Decrypts a document by the program and returns the class of the error. */
function errorOf(input: { document: object; passphrase: string }): unknown {
  const lines = [
    'try:',
    '    decrypt(input["document"], input["passphrase"])',
    'except Exception as error:',
    '    print(json.dumps(type(error).__name__))',
  ].join('\n');
  return python(lines, input);
}

describe.skipIf(!hasCryptography())(
  'the program in Python (needs python3 with the package cryptography)',
  () => {
    // Decomposed: NFC makes one character of `e` and the accent.
    const secret = 'cafe\u0301 au lait, s\u2019il vous plai\u0302t';
    const print = 'print(json.dumps([content.decode(), name, mime_type]))';
    const mimeType = 'text/plain';
    /** Longer than two segments. */
    const long = 'Total due: 42.00\n'.repeat(150_000);

    test.each(tinkVectors)('it reproduces the vector of Tink with $name', (vector) => {
      const lines = `
stream, digest = bytes.fromhex(input["ciphertext"]), getattr(hashes, input["hash"])()
data, key = bytes.fromhex(input["associatedData"]), bytes.fromhex(input["key"])
options = {"segment": input["segment"], "digest": digest}
plain = decrypt_stream(key, stream, data, **options)
again = encrypt_stream(key, plain, data, stream[:stream[0]], **options)
print(json.dumps([plain.decode(), again == stream]))`;
      expect(python(lines, vector)).toEqual([vector.plaintext, true]);
    });

    test('it decrypts the vector', () => {
      const lines = `content, name, mime_type = decrypt(input, ${JSON.stringify(passphrase)})\n${print}`;
      expect(python(lines, document)).toEqual([
        vector.content,
        document.fileName,
        'application/pdf',
      ]);
    });

    const contents: [string, string, boolean][] = [
      ['return.txt', 'Total due: 42.00', true],
      ['Steuererklärung 🧾.txt', '', true],
      ['enc.a-plain-name-that-looks-like-an-encrypted-one', 'Total', false],
      ['long.txt', long, true],
    ];

    test.each(contents)('it decrypts %j of the SDK, by passphrase and by link', async (...made) => {
      const [fileName, content, encryptFileName] = made;
      const cipher = await createCipher({ passphrase: secret });
      const sealed = await cipher.seal(content, { fileName, encryptFileName });
      expect(sealed.fileName === fileName).toBe(!encryptFileName);
      const lines = `content, name, mime_type = decrypt(input["document"], input["passphrase"])\n${print}`;
      const composed = secret.normalize('NFC');
      const expected = [content, fileName, mimeType];
      expect(python(lines, { document: sealed, passphrase: composed })).toEqual(expected);
      const { id } = sealed;
      const share = { access: 'anyone', documentId: id, shareToken: 'a'.repeat(43) } as const;
      const link = await shareUrl(share as never, {
        cipher,
        document: sealed,
        page: 'https://example.com/open',
      });
      const { algorithm, iv, authTag } = sealed.encryptionMetadata;
      const anonymous = { ...sealed, encryptionMetadata: { algorithm, iv, authTag } };
      const opening = `content, name, mime_type = open_link(input["document"], input["link"])\n${print}`;
      expect(python(opening, { document: anonymous, link })).toEqual(expected);
    });

    test.each(contents.filter(([, , encrypted]) => encrypted))(
      'the SDK decrypts %j of the program',
      async (fileName, content) => {
        const made = python(
          'print(json.dumps(encrypt(input["content"].encode(), input["name"], "text/plain", input["secret"], 1000)))',
          { content, name: fileName, secret },
        ) as typeof document;
        const cipher = await createCipher({ passphrase: secret });
        const { bytes, ...facts } = await cipher.unseal(made);
        expect(Buffer.from(bytes).toString()).toBe(content);
        expect(facts).toEqual({ fileName, mimeType });
        expect(await cipher.fileName(made)).toBe(fileName);
        expect(await cipher.documentKey(made)).toHaveLength(32);
      },
    );

    test('it raises ValueError for a plain name in the place of an encrypted one', async () => {
      const cipher = await createCipher({ passphrase: secret });
      const sealed = await cipher.seal('Total', { fileName: 'a.txt', encryptFileName: true });
      const replaced = { ...sealed, fileName: 'invoice.exe' };
      const composed = secret.normalize('NFC');
      expect(errorOf({ document: replaced, passphrase: composed })).toBe('ValueError');
    });

    test.each<[string, object, string, string]>([
      ['a wrong passphrase', document, 'wrong', 'InvalidTag'],
      ['a changed content', { ...document, encryptedData: changed() }, passphrase, 'InvalidTag'],
      ['the id of another document', { ...document, id: otherId }, passphrase, 'InvalidTag'],
    ])('it raises an error for %s', (_, altered, secret, error) => {
      expect(errorOf({ document: altered, passphrase: secret })).toBe(error);
    });
  },
);
