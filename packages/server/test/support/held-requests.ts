import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { TestServer } from './server.ts';

export interface HeldRequest {
  /** Default: POST. */
  readonly method?: string;
  readonly path: string;
  readonly body: object;
}

/**
 * Sends all but the last byte of a request, and waits until the server has authenticated it.
 *
 * @returns a function that sends the last byte and returns the body of the response
 */
export async function beginSending(
  server: Pick<TestServer, 'url'>,
  headers: Readonly<Record<string, string>>,
  { method = 'POST', path, body }: HeldRequest,
): Promise<() => Promise<unknown>> {
  const text = JSON.stringify(body);
  const sending = request(server.url + path, {
    method,
    headers: {
      ...headers,
      expect: '100-continue',
      'content-type': 'application/json',
      'content-length': String(text.length),
    },
  });
  sending.flushHeaders();
  // The server asks for a body only after authentication.
  await once(sending, 'continue');
  await new Promise((resolve) => sending.write(text.slice(0, -1), resolve));
  return async () => {
    const response = once(sending, 'response') as Promise<[IncomingMessage]>;
    sending.end(text.slice(-1));
    return json((await response)[0]);
  };
}
