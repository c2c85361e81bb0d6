import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a receiver of webhooks has received. */
export interface Delivered {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A receiver of webhooks whose response a test chooses. */
export interface Receiver {
  readonly url: string;
  readonly delivered: Delivered[];
  /** @default 200 with `ok` */
  respond: { status: number; body: string };
  close(): Promise<void>;
}

/** Starts a receiver on a free port. */
export async function startReceiver(): Promise<Receiver> {
  const delivered: Delivered[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    delivered.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(receiver.respond.status).end(receiver.respond.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    delivered,
    respond: { status: 200, body: 'ok' },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
