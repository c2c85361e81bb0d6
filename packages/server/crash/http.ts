import type { Access } from './server-process.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string;
  readonly replayed: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  readonly body: any;
}

/** The connection ended before the response was complete. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
}

/** @throws ConnectionLostError */
export async function send({ url, apiKey }: Access, request: Request): Promise<HttpResponse> {
  const { method, path, body, idempotencyKey } = request;
  const headers = {
    'x-api-key': apiKey,
    ...(body && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
  try {
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      requestId: response.headers.get('x-request-id') ?? '',
      replayed: response.headers.get('idempotency-replayed') === 'true',
      body: text === '' ? undefined : JSON.parse(text),
    };
  } catch (error) {
    // What fetch throws for a connection that failed, or broke off.
    if (!(error instanceof TypeError)) throw error;
    throw new ConnectionLostError('no response came', { cause: error });
  }
}

/** The body of a GET that has to succeed. */
export async function read(access: Access, path: string) {
  const { status, body } = await send(access, { method: 'GET', path });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}
