/** Guarantee 13: the progress of uploads to the real server, by the `fetch` of Node. */
import { randomFillSync } from 'node:crypto';
import { AbortError, type UploadProgress, VaultError } from '@document-vault/sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { rejection } from './support/client.ts';
import { startKeyClient } from './support/real-server.ts';
import { networkError } from './support/responses.ts';

const MiB = 1024 * 1024;
const maxStep = 256 * 1024;
const content = randomFillSync(new Uint8Array(17 * MiB + 123));

async function setUp(size: number) {
  const { client, sent } = await startKeyClient();
  const { id: vaultId } = await client.vaults.create({ name: 'Films' });
  const cipher = await cheapCipher('open sesame');
  const source = content.subarray(0, size);
  const seen: number[] = [];
  const upload = (onSent: (loaded: number) => unknown = () => {}, signal?: AbortSignal) => {
    const onProgress = ({ phase, loaded, total }: UploadProgress) => {
      if (phase !== 'uploading') return;
      expect(total).toBe(size);
      seen.push(loaded);
      return onSent(loaded) as undefined;
    };
    const options = { vaultId, cipher, fileName: 'film.mp4', signal, onProgress };
    return client.documents.upload(source, options);
  };
  return { client, sent, seen, upload };
}

/** How much each report differs from the one before it. */
function stepsOf(seen: readonly number[]): number[] {
  return seen.slice(1).map((loaded, at) => loaded - (seen[at] as number));
}

/** Replaces the `fetch` of Node. */
function stubFetch(replace: (real: typeof fetch) => typeof fetch): void {
  vi.stubGlobal('fetch', replace(globalThis.fetch));
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
}

describe.each([
  ['of 3 MiB', 3 * MiB],
  ['in parts', 17 * MiB + 123],
])('onProgress of an upload %s', (_, size) => {
  test('onProgress reports from 0 to all bytes, in steps of at most 256 KiB', async () => {
    const { client, seen, upload } = await setUp(size);
    const { id } = await upload();
    expect([seen[0], seen.at(-1)]).toEqual([0, size]);
    const steps = stepsOf(seen);
    expect(Math.min(...steps)).toBeGreaterThan(0);
    expect(Math.max(...steps)).toBeLessThanOrEqual(maxStep);
    expect((await client.documents.get(id, { content: false })).sizeBytes).toBeGreaterThan(size);
  });

  test('after a failed attempt, onProgress goes back by what it had sent, and ends at all bytes', async () => {
    const { seen, upload } = await setUp(size);
    let failures = 0;
    stubFetch((real) => async (input, init) => {
      if (!(init?.body instanceof ReadableStream) || failures === 1) return real(input, init);
      failures++;
      const reader = init.body.getReader();
      for (let chunk = 0; chunk < 3; chunk++) await reader.read();
      throw networkError('ECONNRESET');
    });
    await upload();
    const back = stepsOf(seen).filter((step) => step < 0);
    expect(back).toHaveLength(1);
    expect(Math.abs(back[0] ?? 0)).toBeLessThanOrEqual(2 * maxStep);
    expect(Math.max(...stepsOf(seen))).toBeLessThanOrEqual(maxStep);
    expect(seen.at(-1)).toBe(size);
  });

  test('an upload that is aborted in the middle rejects with AbortError, and reports no more', async () => {
    const { client, seen, upload } = await setUp(size);
    const controller = new AbortController();
    const abort = (loaded: number) => loaded > MiB && controller.abort();
    expect(await rejection(upload(abort, controller.signal))).toBeInstanceOf(AbortError);
    const { length } = seen;
    expect(seen.at(-1)).toBeLessThanOrEqual(MiB + maxStep);
    expect((await client.documents.list()).data).toEqual([]);
    expect(seen).toHaveLength(length);
  });

  test.each([
    ['rejects', (error: Error) => Promise.reject(error)],
    [
      'throws',
      (error: Error) => {
        throw error;
      },
    ],
  ])(
    'an upload whose onProgress %s in the middle ends with this error, and is not retried',
    async (_, fail) => {
      const { client, sent, upload } = await setUp(size);
      const error = await rejection(
        // The error of a browser that is retried when it is of the network.
        upload((loaded) => loaded > MiB && fail(new TypeError('network error'))),
      );
      expect(error).toBeInstanceOf(VaultError);
      expect(String(error)).toContain('network error');
      expect(sent.filter((one) => one === 'POST /api/v1/documents').length).toBeLessThanOrEqual(1);
      expect((await client.documents.list()).data).toEqual([]);
    },
  );
});

test('an upload without onProgress sends its JSON as text', async () => {
  const { client } = await setUp(MiB);
  const bodies: unknown[] = [];
  stubFetch((real) => (input, init) => {
    bodies.push(init?.body);
    return real(input, init);
  });
  const { id } = await client.vaults.create({ name: 'Letters' });
  const cipher = await cheapCipher('open sesame');
  await client.documents.upload('Dear Ada', { vaultId: id, cipher, fileName: 'letter.txt' });
  expect(bodies.map((body) => typeof body)).toEqual(['string', 'string']);
});
