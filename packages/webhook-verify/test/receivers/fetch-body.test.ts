import { ReadableStream, type UnderlyingSource } from 'node:stream/web';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { readRequest } from '../../src/adapters/fetch-request.ts';
import { IncomingBody } from '../../src/receiver/incoming-body.ts';

function requestOf(source: UnderlyingSource): Request {
  const body = new ReadableStream(source);
  return new Request('https://receiver.example/hooks', { method: 'POST', body, duplex: 'half' });
}

function read(request: Request, signal = new AbortController().signal): Promise<Uint8Array> {
  return readRequest(request, { maxBodySize: 10, signal, body: new IncomingBody(10) });
}

describe('the body of a Request', () => {
  it('is empty when there is none', async () => {
    const request = new Request('https://receiver.example/hooks', { method: 'POST' });
    expect(await read(request)).toEqual(new Uint8Array());
  });

  it('is taken in bytes of another realm', async () => {
    const request = requestOf({
      start(controller) {
        controller.enqueue(runInNewContext('Uint8Array.of(1, 2)'));
        controller.close();
      },
    });
    expect(await read(request)).toEqual(Uint8Array.of(1, 2));
  });

  it('is discarded for 128 KiB and then cancelled when it is too large', async () => {
    const cancel = vi.fn();
    const pull = vi.fn((controller) => controller.enqueue(new Uint8Array(16_384)));
    const request = requestOf({ pull, cancel });
    await expect(read(request)).rejects.toMatchObject({ code: 'body_too_large' });
    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce());
    expect(pull.mock.calls.length).toBeLessThanOrEqual(11);
  });

  it('is cancelled half a second after the deadline when nothing more arrives', async () => {
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

  it('is refused before it is read when its declared length is too large', async () => {
    const request = requestOf({ cancel: () => {} });
    request.headers.set('Content-Length', '11');
    await expect(read(request)).rejects.toMatchObject({ code: 'body_too_large' });
  });

  it('says so when the sender goes away', async () => {
    const request = requestOf({ pull: (controller) => controller.error(new Error('reset')) });
    await expect(read(request)).rejects.toMatchObject({
      code: 'body_incomplete',
      cause: expect.objectContaining({ message: 'reset' }),
    });
  });

  it('is not raw when somebody has decoded it', async () => {
    const request = requestOf({ pull: (controller) => controller.enqueue('{}') });
    await expect(read(request)).rejects.toMatchObject({ code: 'body_not_raw' });
  });
});
