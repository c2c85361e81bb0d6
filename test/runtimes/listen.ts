import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecordedRequest } from './suite/control.ts';

/** A request whose body has been read. */
export interface IncomingRequest extends RecordedRequest {
  readonly body: string;
}

/** Starts an HTTP server on a free port of this machine. */
export async function listen(
  handle: (request: IncomingRequest, response: ServerResponse) => void | Promise<void>,
) {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    try {
      let body = '';
      for await (const chunk of request) body += chunk;
      await handle({ method, url, headers, body }, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) response.destroy();
      else response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
