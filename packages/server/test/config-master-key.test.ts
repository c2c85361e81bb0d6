import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Config, loadConfig, resolveConfig } from '../src/config/config.ts';
import { configTable, helpText } from '../src/config/options.ts';
import { problemsOf } from './support/config-problems.ts';
import { dataFolder } from './support/data-folder.ts';

const bytes = Buffer.from('0123456789abcdefghijklmnopqrstuv');
const key = bytes.toString('base64');

const load = (argv: string[], env: Record<string, string> = {}) => loadConfig({ argv, env });

async function keyFile(content: string): Promise<string> {
  const file = join(await dataFolder(), 'master.key');
  await writeFile(file, content);
  return file;
}

const bytesOf = ({ masterKey }: Config) => masterKey?.export();

describe('the master key option', () => {
  test.each([
    ['the variable DOCUMENT_VAULT_MASTER_KEY', () => load([], { DOCUMENT_VAULT_MASTER_KEY: key })],
    [
      'the option masterKey in base64url without padding',
      () => resolveConfig({ masterKey: bytes.toString('base64url') }),
    ],
    ['the option masterKey in base64', () => resolveConfig({ masterKey: key })],
    ['the option masterKey as bytes', () => resolveConfig({ masterKey: bytes })],
  ])('is read from %s', (_, config) => {
    expect(bytesOf(config())).toEqual(bytes);
  });

  test('is read from the file of --master-key-file, its variable or the option masterKeyFile', async () => {
    const file = await keyFile(`${key}\n`);
    const variable = { DOCUMENT_VAULT_MASTER_KEY_FILE: file };
    for (const config of [
      load(['--master-key-file', file]),
      load([], variable),
      resolveConfig({ masterKeyFile: file }),
    ]) {
      expect(bytesOf(config)).toEqual(bytes);
    }
  });

  test('is not shown by inspect() and JSON.stringify()', () => {
    const config = resolveConfig({ masterKey: key });
    for (const shown of [inspect(config, { depth: 9, showHidden: true }), JSON.stringify(config)]) {
      expect(shown).not.toContain(key.slice(0, 10));
      expect(shown).not.toContain(bytes.toString('latin1', 0, 10));
      expect(shown).not.toContain(bytes.toString('hex', 0, 5));
    }
  });

  test('as the flag --master-key is rejected without repeating the key', () => {
    for (const argv of [['--master-key', key], [`--master-key=${key}`], ['--master-key']]) {
      expect(problemsOf(() => load([...argv, '--port', 'x']))).toEqual([
        '--master-key: other users can read command lines; set DOCUMENT_VAULT_MASTER_KEY instead',
        "--port: 'x' is not a whole number from 0 to 65535",
      ]);
    }
    for (const text of [helpText(), configTable()]) {
      expect(text).toContain('DOCUMENT_VAULT_MASTER_KEY');
      expect(text).not.toMatch(/--master-key(?!-file)/);
    }
  });

  test.each([
    'short',
    key.slice(4),
    `${key}${key}`,
    `${key.slice(0, 42)} =`,
    bytes.toString('hex'),
  ])('%j is rejected, without repeating it and together with other problems', (text) => {
    const env = { DOCUMENT_VAULT_MASTER_KEY: text, DOCUMENT_VAULT_PORT: 'x' };
    const problems = problemsOf(() => load([], env));
    expect(problems).toEqual([
      expect.stringMatching(/^DOCUMENT_VAULT_PORT: /),
      expect.stringMatching(/^DOCUMENT_VAULT_MASTER_KEY: the value is not 32 bytes in base64/),
    ]);
    expect(problems.join()).not.toContain(text);
  });

  test('of 31 bytes or of another type is rejected', () => {
    for (const masterKey of [bytes.subarray(1), 5 as unknown as string]) {
      expect(problemsOf(() => resolveConfig({ masterKey }))).toEqual([
        expect.stringMatching(/^masterKey: the value is not 32 bytes/),
      ]);
    }
  });

  test('in a missing or malformed file is rejected together with other problems', async () => {
    const missing = join(await dataFolder(), 'none.key');
    const malformed = await keyFile('not a key');
    const flags = (file: string) => ['--master-key-file', file, '--port', 'x'];
    expect(problemsOf(() => load(flags(missing)))).toEqual([
      expect.stringMatching(/^--port: /),
      expect.stringMatching(/^--master-key-file: the file cannot be read: ENOENT/),
    ]);
    const [, problem] = problemsOf(() => load(flags(malformed)));
    expect(problem).toContain(`--master-key-file: the content of ${malformed} is not 32 bytes`);
    expect(problem).not.toContain('not a key');
  });

  test('set by both DOCUMENT_VAULT_MASTER_KEY and DOCUMENT_VAULT_MASTER_KEY_FILE is rejected', async () => {
    const file = await keyFile(key);
    const env = { DOCUMENT_VAULT_MASTER_KEY: key, DOCUMENT_VAULT_MASTER_KEY_FILE: file };
    expect(problemsOf(() => load([], env))).toEqual([
      'DOCUMENT_VAULT_MASTER_KEY and DOCUMENT_VAULT_MASTER_KEY_FILE: only one of them can be set',
    ]);
  });
});
