/**
 * The least that a server of contents can do. It hashes each part, writes it to a file and syncs the file before it
 * responds; it sends the file on GET.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [, , folder = '.'] = process.argv;
const files = new Map<string, Promise<FileHandle>>();

const server = createServer((request, response) => {
  handle(request, response).catch((error) => response.destroy(error));
});

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, id = '', position = '0'] = request.url?.split('/') ?? [];
  if (id === 'small') response.end('{}');
  else if (request.method === 'POST') response.end(randomUUID());
  else if (request.method === 'PUT') {
    const digest = await store(request, id, Number(position));
    response.setHeader('etag', `"${digest}"`).writeHead(204).end();
  } else {
    const path = join(folder, id);
    response.setHeader('content-length', (await stat(path)).size);
    await pipeline(createReadStream(path), response);
  }
}

async function store(request: IncomingMessage, id: string, position: number): Promise<string> {
  const opened = files.get(id) ?? open(join(folder, id), 'w');
  files.set(id, opened);
  const file = await opened;
  const hash = createHash('sha256');
  let at = position;
  for await (const chunk of request) {
    hash.update(chunk);
    await file.write(chunk, 0, chunk.length, at);
    at += chunk.length;
  }
  await file.datasync();
  return hash.digest('base64url');
}

process.once('SIGTERM', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
