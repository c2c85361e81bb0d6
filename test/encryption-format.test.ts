import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createCipher } from '@document-vault/sdk/crypto';
import { shareUrl } from '@document-vault/sdk/share';
import { describe, expect, test } from 'vitest';

/** The page from which other languages implement the encryption. */
const page = await readFile('packages/sdk/docs/formats.md', 'utf8');

function blockOf(language: string): string {
  const found = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1];
  if (found === undefined) throw new Error(`docs/formats.md has no ${language} block`);
  return found;
}

const vector = JSON.parse(blockOf('json'));
const { document, passphrase } = vector;

describe('the test vector', () => {
  test('the SDK decrypts content, name and key of the vector', async () => {
    const cipher = await createCipher({ passphrase, iterations: 1_000 });
    expect(Buffer.from(await cipher.unseal(document)).toString()).toBe(vector.content);
    expect(await cipher.fileName(document)).toBe(vector.name);
    const key = await cipher.documentKey(document.encryptionMetadata);
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
    const { encryptedData, sizeBytes, encryptionMetadata } = document;
    const upload = contract.paths['/api/v1/documents'].post.requestBody;
    expect(upload.content['application/json'].examples.encrypted.value).toMatchObject({
      encryptedData,
      sizeBytes,
      encryptionMetadata,
    });
    expect(contract.components.examples.DocumentWithContent.value).toMatchObject({
      encryptedData,
      sizeBytes,
      encryptionMetadata,
    });
  });
});

/** Runs the program of the page with further lines and returns what it prints as JSON. */
function python(lines: string, input: unknown): unknown {
  const program = `${blockOf('python')}\nimport json, sys\ninput = json.load(sys.stdin)\n${lines}`;
  const printed = execFileSync('python3', ['-c', program], { input: JSON.stringify(input) });
  return JSON.parse(printed.toString());
}

function hasCryptography(): boolean {
  try {
    execFileSync('python3', ['-c', 'import cryptography'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasCryptography())(
  'the program in Python (needs python3 with the package cryptography)',
  () => {
    // Decomposed: NFC makes one character of `e` and the accent.
    const secret = 'cafe\u0301 au lait, s\u2019il vous plai\u0302t';
    const print = 'print(json.dumps([content.decode(), name]))';

    test('it decrypts the vector', () => {
      const lines = `content, name = decrypt(input, ${JSON.stringify(passphrase)})\n${print}`;
      expect(python(lines, document)).toEqual([vector.content, vector.name]);
    });

    test.each([
      ['return.txt', 'Total due: 42.00'],
      ['Steuererklärung 🧾.txt', ''],
    ])('it decrypts %j of the SDK, by passphrase and by link', async (fileName, content) => {
      const cipher = await createCipher({ passphrase: secret, iterations: 1_000 });
      const sealed = await cipher.seal(content, { fileName });
      const lines = `content, name = decrypt(input["document"], input["passphrase"])\n${print}`;
      const composed = secret.normalize('NFC');
      expect(python(lines, { document: sealed, passphrase: composed })).toEqual([
        content,
        fileName,
      ]);
      const share = { access: 'anyone', documentId: 'd1', shareToken: 'a'.repeat(43) } as const;
      const link = await shareUrl(share as never, {
        cipher,
        document: { id: 'd1', ...sealed } as never,
        page: 'https://example.com/open',
      });
      const { algorithm, iv, authTag } = sealed.encryptionMetadata;
      const anonymous = { ...sealed, encryptionMetadata: { algorithm, iv, authTag } };
      const opening = `content, name = open_link(input["document"], input["link"])\n${print}`;
      expect(python(opening, { document: anonymous, link })).toEqual([content, fileName]);
    });

    test.each([
      ['return.txt', 'Total due: 42.00'],
      ['Steuererklärung 🧾.txt', ''],
    ])('the SDK decrypts %j of the program', async (fileName, content) => {
      const made = python(
        'print(json.dumps(encrypt(input["content"].encode(), input["name"], input["secret"], 1000)))',
        { content, name: fileName, secret },
      ) as typeof document;
      expect(made.sizeBytes).toBe(Buffer.byteLength(content));
      const cipher = await createCipher({ passphrase: secret, iterations: 1_000 });
      expect(Buffer.from(await cipher.unseal(made)).toString()).toBe(content);
      expect(await cipher.fileName(made)).toBe(fileName);
    });

    test('a wrong passphrase raises InvalidUnwrap and a changed content InvalidTag', async () => {
      const lines = [
        'try:',
        '    decrypt(input["document"], input["passphrase"])',
        'except Exception as error:',
        '    print(json.dumps(type(error).__name__))',
      ].join('\n');
      expect(python(lines, { document, passphrase: 'wrong' })).toBe('InvalidUnwrap');
      const changed = { ...document, encryptedData: `A${document.encryptedData.slice(1)}` };
      expect(python(lines, { document: changed, passphrase })).toBe('InvalidTag');
    });
  },
);
