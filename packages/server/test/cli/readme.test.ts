import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder } from '../data-folder.ts';
import { command, commandJson } from './command-line.ts';

/** The commands that the README shows, as lists of arguments. */
async function shownCommands(): Promise<string[][]> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const block = /## Commands\n\n```sh\n(.*?)```/s.exec(readme)?.[1] ?? '';
  return block
    .trim()
    .split('\n')
    .map((line) =>
      [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
    );
}

test('the commands of the README work, in their order', async () => {
  const commands = await shownCommands();
  expect(commands.length).toBeGreaterThan(10);
  const env = { DOCUMENT_VAULT_DATA: await dataFolder() };
  const folder = await dataFolder();
  for (const [program, ...shown] of commands) {
    expect(program).toBe('document-vault');
    const keyId = shown.includes('KEY_ID')
      ? (await commandJson(['key', 'list'], { env }))[0].keyId
      : '';
    const argv = shown.map((word) =>
      word === 'KEY_ID' ? keyId : word === 'vault.db' ? join(folder, word) : word,
    );
    const { code, err } = await command(argv, { env });
    expect({ argv, code, err }).toEqual({ argv, code: 0, err: '' });
  }
});
