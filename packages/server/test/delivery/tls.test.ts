import { describe, expect, test, vi } from 'vitest';
import { attempt } from '../support/delivery/attempts.ts';
import {
  startReceiverOfTinyRecords,
  startRenegotiatingReceiver,
  startTlsReceiver,
  trustTestAuthority,
} from '../support/delivery/tls-receiver.ts';

trustTestAuthority();

const resolve = async () => ['127.0.0.1'];

test.each(['receiver.example', '127.0.0.1'])(
  'a valid certificate of %s is accepted',
  async (host) => {
    const { port, counts } = await startTlsReceiver();
    const record = await attempt({ url: `https://${host}:${port}/` }, { resolve });
    expect(record).toMatchObject({ statusCode: 200, error: null });
    expect(counts.requests).toBe(1);
  },
);

const refusals = [
  ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['other-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['expired', 'CERT_HAS_EXPIRED'],
] as const;

describe('invalid certificates', () => {
  test.each(refusals)(
    'an invalid certificate (%s) is refused before anything is sent',
    async (certificate, code) => {
      const { port, counts } = await startTlsReceiver(certificate);
      for (const host of ['receiver.example', '127.0.0.1']) {
        const record = await attempt({ url: `https://${host}:${port}/` }, { resolve });
        const error = `TLS connection refused (${code})`;
        expect(record).toMatchObject({ statusCode: null, error });
      }
      expect(counts).toEqual({ connections: 2, requests: 0 });
    },
  );

  test.each(refusals)(
    'an invalid certificate (%s) is refused even with NODE_TLS_REJECT_UNAUTHORIZED=0',
    async (certificate) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      try {
        const { port, counts } = await startTlsReceiver(certificate);
        const url = `https://receiver.example:${port}/`;
        expect((await attempt({ url }, { resolve })).error).toMatch(/^TLS connection refused/);
        expect(counts.requests).toBe(0);
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );
});

test('a receiver that renegotiates TLS 1.2 gets no second handshake, and the attempt fails', async () => {
  const { port, counts } = await startRenegotiatingReceiver();
  const record = await attempt({ url: `https://127.0.0.1:${port}/` });
  const error = 'connection closed before the response was complete';
  expect(record).toMatchObject({ statusCode: null, error });
  expect(counts).toEqual({ connections: 1, renegotiations: 0 });
});

test('a receiver that sends more than 64 KiB of TLS records without data is disconnected', async () => {
  // Each record adds 22 bytes, so that 8,000 bytes of a head come with 176,000 others.
  const { port } = await startReceiverOfTinyRecords(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(8_000)}`);
  const record = await attempt({ url: `https://127.0.0.1:${port}/` });
  const error = 'the head of the response is too large';
  expect(record).toMatchObject({ statusCode: null, error });
});
