import { getEventListeners } from 'node:events';
import { AbortError } from '@document-vault/sdk';
import { expect, test } from 'vitest';
import { RemoteContent } from '../src/http/remote-content.ts';
import type { Transport } from '../src/http/transport.ts';
import { resolveOptions } from '../src/options.ts';
import { rejection } from './support/client.ts';

test.each<[string, (chunks: AsyncGenerator, abort: () => void) => Promise<unknown>]>([
  ['its consumer stops', (chunks) => chunks.return(undefined)],
  [
    'its signal is aborted while the consumer pauses',
    async (chunks, abort) => {
      abort();
      expect(await rejection(chunks.next())).toBeInstanceOf(AbortError);
    },
  ],
])('a range has one listener while it is read, and none after %s', async (_, end) => {
  let isCancelled = false;
  const body = new ReadableStream({
    pull: (stream) => stream.enqueue(new Uint8Array(10)),
    cancel: () => {
      isCancelled = true;
    },
  });
  const response = new Response(body, { headers: { 'content-length': '1000' } });
  const transport = {
    settings: resolveOptions({ baseUrl: 'https://vault.example', apiKey: 'dv_key' }),
    send: async () => ({ ok: true, response }),
  } as unknown as Transport;
  const location = { transport, url: 'https://vault.example/content', path: '/content' };
  const range = { start: 0, end: undefined };
  const { chunks } = await new RemoteContent({ ...location, options: {} }).open(range, undefined);

  const controller = new AbortController();
  const listeners = () => getEventListeners(controller.signal, 'abort').length;
  const reading = chunks(controller.signal);
  for (let chunk = 0; chunk < 3; chunk++) {
    expect((await reading.next()).value).toHaveLength(10);
    expect(listeners()).toBe(1);
  }
  await end(reading, () => controller.abort());
  expect(listeners()).toBe(0);
  expect(isCancelled).toBe(true);
});
