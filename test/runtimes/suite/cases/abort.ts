import { type CallOptions, memoryTokenStore } from '@document-vault/sdk';
import { check, rejects, same } from '../check.ts';
import { keyClient, quickCipher, sceneClient } from '../clients.ts';
import { control } from '../control.ts';
import type { Case, World } from '../suite.ts';

/** A sleep that lasts until it is aborted. */
const endless = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

/**
 * Begins a call, aborts it once `reached` resolves, and checks that it is over soon. The bound is far
 * above the 20 ms that it takes: another process may have the machine.
 */
async function abortAt(call: (options: CallOptions) => Promise<unknown>, reached: Promise<void>) {
  const controller = new AbortController();
  const reason = new Error('enough');
  const over = rejects(call({ signal: controller.signal }), { name: 'AbortError', cause: reason });
  await reached;
  const abortedAt = Date.now();
  controller.abort(reason);
  await over;
  const ms = Date.now() - abortedAt;
  check(ms < 500, `it took ${ms} ms`);
}

/** Resolves when so many requests have arrived at the companion. */
async function arrived(world: World, count: number): Promise<void> {
  for (;;) {
    const { companion } = await control(world, 'arrivals');
    if (companion.length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const abortCases: readonly Case[] = [
  {
    name: 'timeout ends an attempt that nobody answers',
    async run(world) {
      const client = sceneClient(world, 'silent', { timeout: 100, maxRetries: 1 });
      await rejects(client.vaults.list(), { name: 'TimeoutError', attempts: 2 });
    },
  },
  {
    name: 'timeout covers the body',
    async run(world) {
      const client = sceneClient(world, 'stalled-body', { timeout: 100, maxRetries: 0 });
      await rejects(client.vaults.list(), { name: 'TimeoutError', attempts: 1 });
    },
  },
  {
    name: 'totalTimeout ends a call over all its attempts',
    async run(world) {
      const limits = { timeout: 60_000, totalTimeout: 100 };
      await rejects(sceneClient(world, 'silent', limits).vaults.list(), { name: 'TimeoutError' });
    },
  },
  {
    name: 'an aborted signal sends nothing',
    async run(world) {
      const signal = AbortSignal.abort();
      const list = sceneClient(world, 'silent').vaults.list({}, { signal });
      await rejects(list, { name: 'AbortError', attempts: 0 });
      same((await control(world, 'arrivals')).companion.length, 0, 'requests');
    },
  },
  {
    name: 'abort ends a call in flight',
    async run(world) {
      const client = sceneClient(world, 'silent');
      await abortAt(async (options) => client.vaults.list({}, options), arrived(world, 1));
    },
  },
  {
    name: 'abort ends a call that reads the body',
    async run(world) {
      const client = sceneClient(world, 'stalled-body');
      await abortAt(async (options) => client.vaults.list({}, options), arrived(world, 1));
    },
  },
  {
    name: 'abort ends a call that waits to be repeated',
    async run(world) {
      let waits = () => {};
      const waiting = new Promise<void>((resolve) => {
        waits = resolve;
      });
      const sleep = (_: number, signal: AbortSignal) => {
        waits();
        return endless(signal);
      };
      const clock = { now: () => Date.now(), sleep };
      const client = sceneClient(world, 'html', { clock });
      await abortAt(async (options) => client.vaults.list({}, options), waiting);
    },
  },
  {
    name: 'abort ends a call that waits for a renewal',
    async run(world) {
      const store = memoryTokenStore();
      const expiresAt = Date.now() + 3_600_000;
      await store.set({ accessToken: 'a', refreshToken: 'r', expiresIn: 3_600, expiresAt });
      const client = sceneClient(world, 'expired', { apiKey: undefined, session: { store } });
      await abortAt(async (options) => client.vaults.list({}, options), arrived(world, 2));
    },
  },
  {
    name: 'abort ends an upload that reads its source',
    async run(world) {
      const controller = new AbortController();
      let cancelled = () => {};
      const cancel = new Promise<void>((resolve) => {
        cancelled = resolve;
      });
      const source = new ReadableStream<Uint8Array>({
        start: (stream) => stream.enqueue(new Uint8Array(10)),
        cancel: cancelled,
      });
      const cipher = await quickCipher();
      const upload = keyClient(world).documents.upload(source, {
        vaultId: 'v1',
        cipher,
        fileName: 'a.bin',
        signal: controller.signal,
        onProgress: () => controller.abort(),
      });
      await rejects(upload, { name: 'AbortError', attempts: 0 });
      await cancel;
    },
  },
];
