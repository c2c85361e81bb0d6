import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/program.ts';
import { describeOptions } from '../../src/config/options.ts';
import { command, commandJson, mainFile } from '../support/command-line.ts';
import { dataFolder } from '../support/data-folder.ts';
import { startTestServer } from '../support/server.ts';

const execute = promisify(execFile);

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const secretsGuide = await readFile(new URL('../../docs/secrets.md', import.meta.url), 'utf8');

/** The commands in the README, as lists of arguments. */
function shownCommands(): string[][] {
  const block = /## Commands\n\n```sh\n(.*?)```/s.exec(readme)?.[1] ?? '';
  return block
    .trim()
    .split('\n')
    .map((line) =>
      [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
    );
}

test('the README names every command, and only options that a command or the configuration has', () => {
  for (const { name } of commands)
    expect(readme + secretsGuide).toMatch(new RegExp(`(document-vault |\`)${name}\\b`));
  const [, section = ''] = /\n## Commands\n(.*?)\n## /s.exec(readme) ?? [];
  const known = [
    ...commands.flatMap(({ options }) => Object.keys(options).map((name) => `--${name}`)),
    ...describeOptions().flatMap(({ flags }) => flags),
    '--help',
  ];
  for (const [flag] of section.matchAll(/--[a-z][a-z-]+/g)) expect(known).toContain(flag);
});

test('the commands of the README succeed in their order', async () => {
  const commands = shownCommands();
  expect(commands.length).toBeGreaterThan(10);
  const env = { DOCUMENT_VAULT_DATA: await dataFolder() };
  const folder = await dataFolder();
  for (const [program, ...shown] of commands) {
    expect(program).toBe('document-vault');
    const keyId = shown.includes('KEY_ID')
      ? (await commandJson(['key', 'list'], { env }))[0].keyId
      : '';
    const clientId = shown.includes('CLIENT_ID')
      ? (await commandJson(['client', 'list'], { env }))[0].clientId
      : '';
    const argv = shown.map((word) =>
      word === 'KEY_ID'
        ? keyId
        : word === 'CLIENT_ID'
          ? clientId
          : word === 'vault.db'
            ? join(folder, word)
            : word,
    );
    const { code, err } = await command(argv, { env });
    expect({ argv, code, err }).toEqual({ argv, code: 0, err: '' });
  }
});

test('the commands of the guide on secrets succeed in a shell', async () => {
  const [sealing = '', rotation = ''] = Array.from(
    secretsGuide.matchAll(/```sh\n(.*?)```/gs),
    ([, script]) => script,
  );
  const folder = await dataFolder();
  const flags = '--conditions=@document-vault/source --disable-warning=ExperimentalWarning';
  const program = `#!/bin/sh\nexec "${process.execPath}" ${flags} "${mainFile}" "$@"\n`;
  await writeFile(join(folder, 'document-vault'), program, { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: `${folder}:${process.env.PATH}`,
    DOCUMENT_VAULT_DATA: join(folder, 'data'),
  };
  const run = async (script: string) => {
    const { stdout } = await execute('sh', ['-euc', script], { cwd: folder, env });
    return stdout;
  };

  const start = 'document-vault start\n';
  expect(sealing.endsWith(start)).toBe(true);
  await run(sealing.slice(0, -start.length));
  const masterKeyFile = join(folder, 'master.key');
  expect((await stat(masterKeyFile)).mode & 0o777).toBe(0o600);
  const server = await startTestServer({ data: env.DOCUMENT_VAULT_DATA, masterKeyFile });
  await server.close();

  const present = 'export DOCUMENT_VAULT_MASTER_KEY_FILE=master.key\n';
  expect(sealing).toContain(present);
  const out = await run(present + rotation);
  expect(out).toMatch(/^Sealed 1 secrets with master key [0-9a-f]{16} instead of [0-9a-f]{16}\./);
  expect(out).toMatch(/are sealed and open with master key [0-9a-f]{16}\n/);
  await startTestServer({ data: env.DOCUMENT_VAULT_DATA, masterKeyFile });
});
