import { ReadableStream, type UnderlyingSource } from 'node:stream/web';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { readRequest } from '../../src/adapters/fetch-body.ts';

function requestOf(source: UnderlyingSource): Request {
  const body = new ReadableStream(source);
  return new Request('https://receiver.example/hooks', { method: 'POST', body, duplex: 'half' });
}

function read(request: Request, signal = new AbortController().signal): Promise<Uint8Array> {
  return readRequest(request, { limit: 10, signal });
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

  it('is given up as soon as it is too large', async () => {
    const cancel = vi.fn();
    const pull = vi.fn((controller) => controller.enqueue(new Uint8Array(6)));
    const request = requestOf({ pull, cancel });
    await expect(read(request)).rejects.toMatchObject({ code: 'body_too_large' });
    expect(cancel).toHaveBeenCalledOnce();
    expect(pull.mock.calls.length).toBeLessThanOrEqual(3);
  });

  it('is given up when it is too late', async () => {
    const cancel = vi.fn();
    const late = new AbortController();
    const reading = read(requestOf({ cancel }), late.signal);
    late.abort();
    await expect(reading).rejects.toMatchObject({ code: 'body_incomplete' });
    expect(cancel).toHaveBeenCalled();
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
