import { type CallOptions, memoryTokenStore } from '@document-vault/sdk';
import { check, rejects, same } from '../check.ts';
import { keyClient, quickCipher, stubClient } from '../clients.ts';
import { control } from '../control.ts';
import type { Case, Environment } from '../suite.ts';

/** Resolves when the signal is aborted. */
const endless = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

/**
 * Starts a call, aborts it when `reached` resolves, and checks that it rejects soon. The limit is far
 * above the usual 20 ms, because other processes may occupy the machine.
 */
async function abortAt(call: (options: CallOptions) => Promise<unknown>, reached: Promise<void>) {
  const controller = new AbortController();
  const reason = new Error('enough');
  const rejected = rejects(call({ signal: controller.signal }), {
    name: 'AbortError',
    cause: reason,
  });
  await reached;
  const abortedAt = Date.now();
  controller.abort(reason);
  await rejected;
  const ms = Date.now() - abortedAt;
  check(ms < 500, `the call took ${ms} ms to reject`);
}

/** Resolves when the stub server has received this number of requests. */
async function requestsReceived(environment: Environment, count: number): Promise<void> {
  for (;;) {
    const { stub } = await control(environment, 'requests');
    if (stub.length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const abortCases: readonly Case[] = [
  {
    name: 'a server that never responds causes a TimeoutError after `timeout` and a retry',
    async run(environment) {
      const client = stubClient(environment, 'silent', { timeout: 100, maxRetries: 1 });
      await rejects(client.vaults.list(), { name: 'TimeoutError', attempts: 2 });
    },
  },
  {
    name: 'a response body that stalls causes a TimeoutError after `timeout`',
    async run(environment) {
      const client = stubClient(environment, 'stalled-body', { timeout: 100, maxRetries: 0 });
      await rejects(client.vaults.list(), { name: 'TimeoutError', attempts: 1 });
    },
  },
  {
    name: 'a call rejects with a TimeoutError after `totalTimeout` when `timeout` is longer',
    async run(environment) {
      const limits = { timeout: 60_000, totalTimeout: 100 };
      await rejects(stubClient(environment, 'silent', limits).vaults.list(), {
        name: 'TimeoutError',
      });
    },
  },
  {
    name: 'a call with an aborted signal rejects with an AbortError and sends no request',
    async run(environment) {
      const signal = AbortSignal.abort();
      const get = stubClient(environment, 'silent').vaults.get('never-sent', { signal });
      await rejects(get, { name: 'AbortError', attempts: 0 });
      // A request of an earlier case can arrive late.
      const { stub } = await control(environment, 'requests');
      same(stub.filter(({ url }) => url.includes('never-sent')).length, 0, 'requests');
    },
  },
  {
    name: 'abort while waiting for a response rejects the call',
    async run(environment) {
      const client = stubClient(environment, 'silent');
      await abortAt(
        async (options) => client.vaults.list({}, options),
        requestsReceived(environment, 1),
      );
    },
  },
  {
    name: 'abort while reading a response body rejects the call',
    async run(environment) {
      const client = stubClient(environment, 'stalled-body');
      await abortAt(
        async (options) => client.vaults.list({}, options),
        requestsReceived(environment, 1),
      );
    },
  },
  {
    name: 'abort while waiting for a retry rejects the call',
    async run(environment) {
      let startWaiting = () => {};
      const waiting = new Promise<void>((resolve) => {
        startWaiting = resolve;
      });
      const sleep = (_: number, signal: AbortSignal) => {
        startWaiting();
        return endless(signal);
      };
      const clock = { now: () => Date.now(), sleep };
      const client = stubClient(environment, 'html', { clock });
      await abortAt(async (options) => client.vaults.list({}, options), waiting);
    },
  },
  {
    name: 'abort while waiting for a token renewal rejects the call',
    async run(environment) {
      const store = memoryTokenStore();
      const expiresAt = Date.now() + 3_600_000;
      await store.set({ accessToken: 'a', refreshToken: 'r', expiresIn: 3_600, expiresAt });
      const client = stubClient(environment, 'expired', { apiKey: undefined, session: { store } });
      await abortAt(
        async (options) => client.vaults.list({}, options),
        requestsReceived(environment, 2),
      );
    },
  },
  {
    name: 'abort while an upload reads its source rejects the upload and cancels the source',
    async run(environment) {
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
      const upload = keyClient(environment).documents.upload(source, {
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
