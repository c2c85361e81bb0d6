/** Sends a file in parts and reads it back, with `fetch` alone. */
import { readAll, sendParts, serveTransfers } from '../uploads/client-process.ts';

const [, , url = ''] = process.argv;

async function upload(path: string): Promise<string> {
  const created = await fetch(url, { method: 'POST' });
  const id = await created.text();
  await sendParts(path, async ({ start, body }) => {
    const response = await fetch(`${url}/${id}/${start}`, { method: 'PUT', body });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`part at ${start}: ${response.status}`);
  });
  return id;
}

serveTransfers({ upload, download: (id) => readAll(`${url}/${id}`) });
