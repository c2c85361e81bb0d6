/** Uploads in parts: progress, retries, timeouts and aborts. */
import {
  AbortError,
  ServerError,
  type UploadCheckpoint,
  type UploadOptions,
  type UploadProgress,
} from '@document-vault/sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { rejection } from './support/client.ts';
import { failure, networkError } from './support/responses.ts';
import { latch } from './support/session.ts';
import { until } from './support/until.ts';
import { sha256 } from './support/upload-service.ts';
import { content, expectContent, inChunks, MiB, setUpUploads } from './support/uploads.ts';

describe('upload in parts: progress, retries and timeouts', () => {
  test('onProgress counts the bytes that the service has confirmed', async () => {
    const { client, state, options } = await setUpUploads();
    const seen: UploadProgress[] = [];
    let confirmed = 0;
    state.intercept = ({ part }) => void (part === undefined || confirmed++);
    const confirmedAtReport: number[] = [];
    await client.documents.upload(content, {
      ...options,
      onProgress: (progress) => {
        seen.push(progress);
        confirmedAtReport.push(confirmed);
      },
    });
    const total = content.length;
    expect(seen[0]).toEqual({ phase: 'uploading', loaded: 0, total });
    expect(seen.at(-1)).toEqual({ phase: 'uploading', loaded: total, total });
    expect(seen).toHaveLength(5);
    for (const [n, { loaded }] of seen.entries()) {
      expect(loaded).toBeGreaterThanOrEqual(seen[n - 1]?.loaded ?? 0);
      expect(confirmedAtReport[n]).toBeGreaterThanOrEqual(n);
    }
  });

  test.each([
    ['Node', undefined],
    ['a browser', {}],
  ])('three parts are in flight at once in %s', async (_, document) => {
    const { client, state, options } = await setUpUploads();
    vi.stubGlobal('document', document);
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    const { open, opened } = latch();
    state.intercept = async ({ part }) => void (part === undefined || (await opened));
    const upload = client.documents.upload(content, options);
    await until(() => state.inFlight === 3);
    open();
    await upload;
    expect(state.mostInFlight).toBe(3);
  });

  test('a part that fails is sent again alone, with the same bytes and digest', async () => {
    const { client, state, sent, calls, options } = await setUpUploads();
    let failures = 0;
    state.intercept = ({ part }) => {
      if (part !== 1 || failures === 2) return undefined;
      failures++;
      if (failures === 1) throw networkError('ECONNRESET');
      return failure(503, 'INTERNAL_ERROR');
    };
    const document = await client.documents.upload(inChunks(content), {
      ...options,
      size: content.length,
    });
    expect(sent().sort()).toEqual([0, 1, 1, 1, 2, 3]);
    const attempts = calls.filter(({ part }) => part === 1);
    expect(new Set(attempts.map(({ headers }) => headers['content-digest'])).size).toBe(1);
    expect(new Set(attempts.map(({ body }) => sha256(body ?? new Uint8Array()))).size).toBe(1);
    expectContent((await client.documents.download(document.id, options)).bytes);
  });

  test.each<[string, number, number, Partial<UploadOptions>]>([
    ['8 times', 8, 9, {}],
    ['as often as maxRetries of the call says', 1, 2, { maxRetries: 1 }],
    ['never when it is 0', 0, 1, { maxRetries: 0 }],
  ])('a part is retried %s', async (_, retries, attempts, more) => {
    for (const failures of [retries, retries + 1]) {
      const { client, state, sent, options } = await setUpUploads();
      let left = failures;
      state.intercept = ({ part }) =>
        part === 1 && left-- > 0 ? failure(503, 'INTERNAL_ERROR') : undefined;
      const uploading = client.documents.upload(content, { ...options, ...more });
      const failed = await uploading.then(
        () => false,
        () => true,
      );
      expect(failed).toBe(failures > retries);
      expect(sent().filter((part) => part === 1)).toHaveLength(attempts);
    }
  });

  test('the timeout of a part grows with its bytes: 1 second for each 20,000', async () => {
    const { client, state } = await setUpUploads();
    const delays: number[] = [];
    const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
      _: unknown,
      ms: number,
    ) => {
      delays.push(ms);
      return 0;
    }) as never);
    try {
      await client.uploads.putPart('u1', 0, new Uint8Array(8 * MiB)).catch(() => {});
      await client.uploads
        .putPart('u1', 0, new Uint8Array(8 * MiB), { timeout: 1_000 })
        .catch(() => {});
    } finally {
      timer.mockRestore();
    }
    expect(delays).toEqual([60_000 + 419_431, 1_000 + 419_431]);
    expect(state.inFlight).toBe(0);
  });

  test('totalTimeout ends the whole upload with a TimeoutError', async () => {
    const { client, state, uploads, options } = await setUpUploads();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let stalled = false;
    state.intercept = ({ part }) => {
      if (part !== 2) return undefined;
      stalled = true;
      return new Promise(() => {});
    };
    const totalTimeout = 3_600_000;
    const failing = rejection(client.documents.upload(content, { ...options, totalTimeout }));
    await expect.poll(() => stalled).toBe(true);
    vi.advanceTimersByTime(totalTimeout);
    expect(await failing).toMatchObject({ message: 'No response within 3600000 ms' });
    await expect.poll(() => uploads.size).toBe(0);
  });

  test('an upload that fails without onCheckpoint is given up, and its stream is closed', async () => {
    const { client, state, uploads, documents, options } = await setUpUploads();
    state.intercept = ({ part }) => (part === 2 ? failure(500, 'INTERNAL_ERROR') : undefined);
    let closed = false;
    const source = (async function* () {
      try {
        yield* inChunks(content, MiB);
      } finally {
        closed = true;
      }
    })();
    const error = await rejection(
      client.documents.upload(source, { ...options, size: content.length }),
    );
    expect(error).toBeInstanceOf(ServerError);
    await expect.poll(() => [uploads.size, closed]).toEqual([0, true]);
    expect(documents.size).toBe(0);
  });
});

describe('upload in parts: abort', () => {
  test('a signal ends the upload within one turn of the event loop and gives it up', async () => {
    const { client, state, uploads, documents, log, options } = await setUpUploads();
    const controller = new AbortController();
    let stalled = 0;
    state.intercept = ({ part }) => {
      if (part === undefined || part === 0) return undefined;
      stalled++;
      return new Promise(() => {});
    };
    const onCheckpoint = () => {};
    const { signal } = controller;
    const upload = rejection(
      client.documents.upload(content, { ...options, signal, onCheckpoint }),
    );
    await expect.poll(() => stalled).toBe(3);
    controller.abort();
    const turn = new Promise((resolve) => setImmediate(resolve, 'still waiting'));
    const error = await Promise.race([upload, turn]);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ method: 'POST', path: '/api/v1/documents' });
    await expect.poll(() => uploads.size).toBe(0);
    expect(log().at(-1)).toBe('DELETE /api/v1/uploads/{id}');
    expect(documents.size).toBe(0);
  });

  test('an abort while onCheckpoint runs sends no part', async () => {
    const { client, sent, uploads, options } = await setUpUploads();
    const controller = new AbortController();
    const { open, opened } = latch();
    const onCheckpoint = async ({ parts }: UploadCheckpoint) => {
      if (parts.length === 0) return;
      controller.abort();
      await opened;
    };
    const { signal } = controller;
    const error = await rejection(
      client.documents.upload(content, { ...options, signal, onCheckpoint }),
    );
    expect(error).toBeInstanceOf(AbortError);
    open();
    await until(() => uploads.size === 0);
    expect(sent()).toEqual([]);
  });

  test('an aborted signal sends nothing but the removal', async () => {
    const { client, calls, options } = await setUpUploads();
    const signal = AbortSignal.abort();
    const error = await rejection(client.documents.upload(content, { ...options, signal }));
    expect(error).toBeInstanceOf(AbortError);
    expect(calls).toEqual([]);
  });
});
