import fs from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startServer } from '../../src/index.ts';
import { command } from '../support/command-line.ts';
import { dataFolder } from '../support/data-folder.ts';

const start = (data: string) => command(['start', '--port', '0', '--data', data]);

/** Lets every folder be on a file system of this type. */
function setFileSystem(type: number): void {
  const real = fs.statfsSync;
  const spy = vi
    .spyOn(fs, 'statfsSync')
    .mockImplementation(((path: string) => ({ ...real(path), type })) as typeof fs.statfsSync);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

test.runIf(process.platform === 'linux')(
  'start below a folder in which nothing can be created exits with 1 and the reason',
  async () => {
    const { code, err } = await start('/proc/vault/data');
    expect(code).toBe(1);
    expect(err).toContain('The data folder /proc/vault/data cannot be created: ENOENT');
    expect(err).toContain('Name another one with --data.');
    expect(err).not.toContain('    at ');
  },
);

test('start with a file in the place of the data folder exits with 1 and the reason', async () => {
  const file = join(await dataFolder(), 'file');
  await writeFile(file, '');
  const { code, err } = await start(file);
  expect(code).toBe(1);
  expect(err).toContain(`${file} is a file. Name a folder with --data.`);
});

test.runIf(process.platform === 'linux').each([
  ['NFS', 0x6969],
  ['SMB', 0x517b],
  ['SMB', 0xfe534d42],
  ['CIFS', 0xff534d42],
  ['CIFS', 0xff534d42 | 0],
])('start and doctor with a data folder on %s exit with 1 and the reason', async (name, type) => {
  const data = await dataFolder();
  await (await startServer({ port: 0, data, logLevel: 'silent' })).close();
  setFileSystem(type);
  for (const { code, err } of [await start(data), await command(['doctor', '--data', data])]) {
    expect(code).toBe(1);
    expect(err).toContain(`The data folder ${data} is on a network file system (${name})`);
  }
  const file = join(await dataFolder(), 'copy.db');
  const copied = await command(['backup', file, '--data', data]);
  expect(copied, 'the way to another disk').toMatchObject({ code: 0 });
});
