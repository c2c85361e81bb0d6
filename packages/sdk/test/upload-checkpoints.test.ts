/** Checkpoints of uploads in parts: what they contain, when they are stored, and that they are authenticated. */
import { type UploadCheckpoint, VaultError } from '@document-vault/sdk';
import type { WrappedKeyMetadata } from '@document-vault/sdk/crypto';
import { describe, expect, test } from 'vitest';
import { rejection } from './support/client.ts';
import { failure } from './support/responses.ts';
import { latch } from './support/session.ts';
import { until } from './support/until.ts';
import { partBytes, sha256 } from './support/upload-service.ts';
import { content, interruptedUpload, setUpUploads } from './support/uploads.ts';

describe('upload in parts: checkpoints', () => {
  test('are JSON without secrets, one before each part is first sent', async () => {
    const { client, state, options } = await setUpUploads();
    const taken: string[] = [];
    const early: number[] = [];
    state.intercept = ({ part, body }) => {
      if (part === undefined) return undefined;
      const stored = JSON.parse(taken.at(-1) ?? '{}') as UploadCheckpoint;
      if (stored.parts[part] !== sha256(body ?? new Uint8Array())) early.push(part);
      return undefined;
    };
    const secret = 'Severance plan.mp4';
    const { id } = await client.documents.upload(content, {
      ...options,
      fileName: secret,
      encryptFileName: true,
      onCheckpoint: async (checkpoint) => {
        await new Promise(setImmediate);
        taken.push(JSON.stringify(checkpoint));
      },
    });
    expect(early).toEqual([]);
    expect(JSON.parse(taken[0] ?? '')).toMatchObject({
      uploadId: id,
      vaultId: 'v1',
      partBytes,
      parts: [],
    });
    expect(taken.length).toBeLessThanOrEqual(5);
    for (const text of taken) {
      expect(text).not.toMatch(/Severance|open sesame/);
      expect(await client.documents.fileName(JSON.parse(text), options)).toBe(secret);
    }
    const { encryptionMetadata } = await client.documents.get(id);
    const key = Buffer.from(await options.cipher.documentKey({ id, encryptionMetadata }));
    for (const text of taken) expect(text).not.toContain(key.toString('base64'));
  });

  test('never overlap, and parts that wait share one', async () => {
    const { client, options } = await setUpUploads();
    let running = 0;
    let count = 0;
    await client.documents.upload(content, {
      ...options,
      onCheckpoint: async () => {
        count++;
        expect(++running).toBe(1);
        await new Promise(setImmediate);
        running--;
      },
    });
    expect(count).toBeLessThanOrEqual(5);
  });

  test('an onCheckpoint that throws ends the upload before the part is sent, and keeps it', async () => {
    const { client, sent, uploads, options } = await setUpUploads();
    const onCheckpoint = ({ parts }: UploadCheckpoint) => {
      if (parts.length > 0) throw new Error('disk full');
    };
    const error = await rejection(client.documents.upload(content, { ...options, onCheckpoint }));
    expect(error).toBeInstanceOf(VaultError);
    expect(String(error)).toContain('disk full');
    expect(sent()).toEqual([]);
    expect(uploads.size).toBe(1);
  });
});

describe('onCheckpoint of an upload that fails', () => {
  /** Starts an upload whose part 0 fails while the checkpoint of another part is being stored. */
  async function failWhileStoring(signal?: AbortSignal) {
    const service = await setUpUploads();
    const { open, opened } = latch();
    const calls: string[] = [];
    const stored = (parts: readonly unknown[]) => parts.length > 1;
    let storing = false;
    const onCheckpoint = async ({ parts }: UploadCheckpoint) => {
      calls.push('begin');
      if (stored(parts)) {
        storing = true;
        await opened;
      }
      calls.push('end');
    };
    service.state.intercept = async ({ part }) => {
      if (part !== 0) return undefined;
      await until(() => storing);
      return failure(400, 'VALIDATION_ERROR');
    };
    const options = { ...service.options, signal, onCheckpoint };
    const failing = rejection(service.client.documents.upload(content, options));
    failing.then(() => calls.push('rejected'));
    await until(() => storing);
    return { ...service, calls, open, failing };
  }

  test('the upload rejects when onCheckpoint has ended, and calls it no more', async () => {
    const { calls, open, failing, state } = await failWhileStoring();
    await until(() => state.inFlight === 0);
    expect(calls.at(-1)).toBe('begin');
    open();
    expect(await failing).toMatchObject({ name: 'ValidationError' });
    expect(calls.slice(-2)).toEqual(['end', 'rejected']);
    const before = calls.length;
    await new Promise(setImmediate);
    expect(calls).toHaveLength(before);
  });

  test('an aborted upload does not wait for onCheckpoint', async () => {
    const controller = new AbortController();
    const { failing, open } = await failWhileStoring(controller.signal);
    controller.abort();
    expect(await failing).toMatchObject({ name: 'AbortError' });
    open();
  });
});

describe('a changed checkpoint', () => {
  const other = Buffer.alloc(32, 7).toString('base64');

  test.each<[string, (checkpoint: UploadCheckpoint) => object]>([
    ['the digest of a part removed', ({ parts }) => ({ parts: parts.map(() => null) })],
    ['the last digest cut off', ({ parts }) => ({ parts: parts.slice(0, -1) })],
    ['another digest', ({ parts }) => ({ parts: [other, ...parts.slice(1)] })],
    ['another size of parts', () => ({ partBytes: partBytes * 2 })],
    ['another time of the file', () => ({ lastModified: 5 })],
    ['another salt', ({ encryption }) => ({ encryption: { ...encryption, streamSalt: other } })],
    ['another name', ({ encryption }) => ({ encryption: { ...encryption, fileName: 'b' } })],
    ['another type', ({ encryption }) => ({ encryption: { ...encryption, mimeType: 'a/b' } })],
    ['no mac', () => ({ mac: undefined })],
    ['another mac', () => ({ mac: other })],
  ])('with %s rejects with the reason checkpoint and sends nothing', async (_, change) => {
    const service = await setUpUploads();
    const checkpoint = await interruptedUpload(service);
    const resume = { ...checkpoint, ...change(checkpoint) };
    const options = { ...service.options, resume };
    const error = await rejection(service.client.documents.upload(content, options));
    expect(error).toMatchObject({ name: 'DecryptionError', reason: 'checkpoint' });
    expect(String(error)).toContain('upload without resume');
    expect(service.calls).toEqual([]);
  });

  test('made from the metadata of a stored document encrypts nothing under its key', async () => {
    const service = await setUpUploads();
    const { client, options, documents, calls } = service;
    const checkpoint = await interruptedUpload(service);
    const { id, vaultId, encryptionMetadata } = await client.documents.upload(content, options);
    const { algorithm: _, iv: noncePrefix, authTag: __, ...key } = encryptionMetadata;
    // The service knows all of it: the salt of the stream is at the beginning of the ciphertext.
    const streamSalt = documents.get(id)?.content.toString('base64', 1, 33) ?? '';
    const known = { id, key: key as WrappedKeyMetadata, streamSalt, noncePrefix };
    const encryption = { ...checkpoint.encryption, ...known };
    calls.length = 0;
    const resume = { ...checkpoint, uploadId: id, vaultId, encryption, parts: [] };
    const resuming = client.documents.upload(content, { ...options, resume });
    expect(await rejection(resuming)).toMatchObject({ reason: 'checkpoint' });
    expect(calls).toEqual([]);
  });

  test('with its properties in another order is accepted', async () => {
    const service = await setUpUploads();
    const { encryption, ...rest } = await interruptedUpload(service);
    const reversed = <T extends object>(given: T) =>
      Object.fromEntries(Object.entries(given).reverse()) as T;
    const resume = reversed({ ...rest, encryption: reversed(encryption) });
    const options = { ...service.options, resume };
    const { id } = await service.client.documents.upload(content, options);
    expect(id).toBe(rest.uploadId);
  });
});
