/** Sends a file in the parts that the SDK would send, three at once, and reads it back, with `fetch` alone. */
import { open } from 'node:fs/promises';
import { serveTransfers } from '../uploads/client-process.ts';

const [, , url = ''] = process.argv;
const partBytes = 8 * 2 ** 20;
const concurrency = 3;

async function upload(path: string): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const created = await fetch(url, { method: 'POST' });
  const id = await created.text();
  let position = 0;
  const sendInTurn = async () => {
    const buffer = Buffer.alloc(partBytes);
    while (position < size) {
      const start = position;
      position += partBytes;
      const { bytesRead } = await file.read(buffer, 0, partBytes, start);
      const body = buffer.subarray(0, bytesRead);
      const response = await fetch(`${url}/${id}/${start}`, { method: 'PUT', body });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`part at ${start}: ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendInTurn));
  return id;
}

async function download(id: string): Promise<number> {
  const { body } = await fetch(`${url}/${id}`);
  let bytes = 0;
  for await (const chunk of body ?? []) bytes += chunk.length;
  return bytes;
}

serveTransfers({ upload, download });
