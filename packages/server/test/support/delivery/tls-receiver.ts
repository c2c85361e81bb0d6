import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { listen } from './receiver.ts';

/** For `receiver.example` and 127.0.0.1, except `other-name`. Valid for a century, except `expired`. */
export type Certificate = 'valid' | 'other-name' | 'expired' | 'self-signed';

function read(name: string): string {
  return readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), 'utf8');
}

/** The authority that signed all certificates except `self-signed`. */
export const authority = read('authority');

/** Reads a certificate with its key. */
export function testCertificate(certificate: Certificate) {
  const pem = read(certificate);
  return { key: pem, cert: pem };
}

/** Makes the process trust the authority during the tests of the file. */
export function trustTestAuthority(): void {
  const defaults = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...defaults, authority]));
  afterAll(() => setDefaultCACertificates(defaults));
}

/** Starts an HTTPS receiver on a free port of 127.0.0.1 for the running test. It responds 200. */
export async function startTlsReceiver(certificate: Certificate = 'valid') {
  const counts = { connections: 0, requests: 0 };
  const server = createServer(testCertificate(certificate), (request, response) => {
    counts.requests += 1;
    request.resume();
    response.end();
  });
  server.on('connection', () => {
    counts.connections += 1;
  });
  server.on('tlsClientError', () => undefined);
  const port = await listen(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port, counts };
}

/**
 * Starts a receiver on a free port of 127.0.0.1 for the running test. It starts a new TLS 1.2 handshake after
 * each one, and closes the connection when the client refuses.
 */
export async function startRenegotiatingReceiver() {
  const counts = { connections: 0, renegotiations: 0 };
  const options = { ...testCertificate('valid'), maxVersion: 'TLSv1.2' } as const;
  const server = createTlsServer(options, (socket) => {
    counts.connections += 1;
    const renegotiate = () => {
      socket.renegotiate({}, (error) => {
        if (error) return socket.destroy();
        counts.renegotiations += 1;
        renegotiate();
      });
    };
    socket.once('data', renegotiate).on('error', () => socket.destroy());
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { port, counts };
}

/** Starts a receiver like the others. It sends this text in TLS records of one byte, and no more. */
export async function startReceiverOfTinyRecords(text: string) {
  const server = createTlsServer(testCertificate('valid'), (socket) => {
    socket.on('error', () => undefined).setNoDelay(true);
    socket.once('data', async () => {
      for (const letter of text) {
        await new Promise((resolve) => socket.write(letter, resolve));
      }
    });
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { port };
}
