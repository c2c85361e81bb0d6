import { ReadableStream, type UnderlyingSource } from 'node:stream/web';
import { runInNewContext } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import { readRequest } from '../../src/adapters/fetch-request.ts';
import { IncomingBody } from '../../src/receiver/incoming-body.ts';

function requestOf(source: UnderlyingSource): Request {
  const body = new ReadableStream(source);
  return new Request('https://receiver.example/hooks', { method: 'POST', body, duplex: 'half' });
}

function read(request: Request, signal = new AbortController().signal): Promise<Uint8Array> {
  return readRequest(request, { maxBodySize: 10, signal, body: new IncomingBody(10) });
}

describe('readRequest()', () => {
  test('returns no bytes without a body', async () => {
    const request = new Request('https://receiver.example/hooks', { method: 'POST' });
    expect(await read(request)).toEqual(new Uint8Array());
  });

  test('accepts bytes of another realm', async () => {
    const request = requestOf({
      start(controller) {
        controller.enqueue(runInNewContext('Uint8Array.of(1, 2)'));
        controller.close();
      },
    });
    expect(await read(request)).toEqual(Uint8Array.of(1, 2));
  });

  test('reads 128 KiB of a body that is too large, then cancels it', async () => {
    const cancel = vi.fn();
    const pull = vi.fn((controller) => controller.enqueue(new Uint8Array(16_384)));
    const request = requestOf({ pull, cancel });
    await expect(read(request)).rejects.toMatchObject({ code: 'body_too_large' });
    await expect.poll(() => cancel).toHaveBeenCalledOnce();
    expect(pull.mock.calls.length).toBeLessThanOrEqual(11);
  });

  test('cancels a stalled body half a second after the timeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const cancel = vi.fn();
    const late = new AbortController();
    const reading = read(requestOf({ cancel }), late.signal);
    late.abort();
    await expect(reading).rejects.toMatchObject({ code: 'body_incomplete' });
    expect(cancel).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(500);
    expect(cancel).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test('refuses a too large Content-Length before it reads', async () => {
    const request = requestOf({ cancel: () => {} });
    request.headers.set('Content-Length', '11');
    await expect(read(request)).rejects.toMatchObject({ code: 'body_too_large' });
  });

  test('throws body_incomplete when the sender disconnects', async () => {
    const request = requestOf({ pull: (controller) => controller.error(new Error('reset')) });
    await expect(read(request)).rejects.toMatchObject({
      code: 'body_incomplete',
      cause: expect.objectContaining({ message: 'reset' }),
    });
  });

  test('throws body_not_raw for decoded text', async () => {
    const request = requestOf({ pull: (controller) => controller.enqueue('{}') });
    await expect(read(request)).rejects.toMatchObject({ code: 'body_not_raw' });
  });
});
