/** Stores of checkpoints. The one of browsers is tested in Chromium. */
import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type UploadCheckpoint, UsageError } from '@document-vault/sdk';
import { indexedDbCheckpoints } from '@document-vault/sdk/stores';
import { fileCheckpoints } from '@document-vault/sdk/stores/node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rejection } from './support/client.ts';
import { content, expectContent, interruptedUpload, setUpUploads } from './support/uploads.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkpoints-'));
});
afterEach(() => rm(folder, { recursive: true }));

const checkpoint = { uploadId: 'u1', parts: ['a', null] } as unknown as UploadCheckpoint;

describe('the store of checkpoints in a file', () => {
  test('fileCheckpoints continues an upload in another process, and clear deletes the file', async () => {
    const path = join(folder, 'film.upload.json');
    const service = await setUpUploads();
    const interrupted = await interruptedUpload(service);
    await fileCheckpoints(path).set(interrupted);
    const checkpoints = fileCheckpoints(path);
    const resume = await checkpoints.get();
    expect(resume).toEqual(interrupted);
    const options = { ...service.options, resume, onCheckpoint: checkpoints.set };
    const { id } = await service.client.documents.upload(content, options);
    expectContent((await service.client.documents.download(id, service.options)).bytes);
    await checkpoints.clear();
    expect(await readdir(folder)).toEqual([]);
    expect(await checkpoints.get()).toBeUndefined();
    await checkpoints.clear();
  });

  test('fileCheckpoints returns the last checkpoint after a process was killed while it wrote the next one', async () => {
    const path = join(folder, 'film.upload.json');
    const checkpoints = fileCheckpoints(path);
    await checkpoints.set(checkpoint);
    await writeFile(`${path}.new`, '{"uploadId":');
    expect(await checkpoints.get()).toEqual(checkpoint);
    await checkpoints.set({ ...checkpoint, uploadId: 'u2' });
    expect(await checkpoints.get()).toMatchObject({ uploadId: 'u2' });
    await writeFile(`${path}.new`, '');
    await checkpoints.clear();
    expect(await readdir(folder)).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')(
    'fileCheckpoints writes a file that only its owner can read',
    async () => {
      const path = join(folder, 'film.upload.json');
      await fileCheckpoints(path).set(checkpoint);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(checkpoint);
    },
  );

  test('fileCheckpoints follows no link at the path of its next file', async () => {
    const path = join(folder, 'film.upload.json');
    const other = join(folder, 'other');
    await writeFile(other, 'of others', { mode: 0o666 });
    await symlink(other, `${path}.new`);
    await fileCheckpoints(path).set(checkpoint);
    expect(await readFile(other, 'utf8')).toBe('of others');
    expect((await lstat(path)).isFile()).toBe(true);
  });

  test('fileCheckpoints returns undefined for a file that is not JSON, and rejects when it cannot read or write', async () => {
    const path = join(folder, 'film.upload.json');
    await writeFile(path, 'not JSON');
    expect(await fileCheckpoints(path).get()).toBeUndefined();
    expect(await rejection(fileCheckpoints(folder).get())).toMatchObject({ code: 'EISDIR' });
    const missing = fileCheckpoints(join(folder, 'none', 'film.upload.json'));
    expect(await rejection(missing.set(checkpoint))).toMatchObject({ code: 'ENOENT' });
  });
});

test('indexedDbCheckpoints rejects with a UsageError where there is no IndexedDB', async () => {
  const error = await rejection(indexedDbCheckpoints().get());
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toContain('IndexedDB is missing');
});
