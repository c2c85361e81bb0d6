/** What the clients have in common. Each is a process of its own. */
import { open } from 'node:fs/promises';

/** A client of transfers. */
interface TransferClient {
  /** Uploads a file and returns its id. */
  upload(path: string): Promise<string>;
  /** Downloads a content and returns its length. */
  download(id: string): Promise<number>;
}

/** What the parent asks for. */
type Task = { readonly upload: string } | { readonly download: string };

/** Runs the transfers that the parent asks for, and reports each result. A failure ends the process. */
export function serveTransfers({ upload, download }: TransferClient): void {
  process.on('message', async (task: Task) => {
    process.send?.('upload' in task ? await upload(task.upload) : await download(task.download));
  });
  process.send?.('ready');
}

const partBytes = 8 * 2 ** 20;
const concurrency = 3;

/**
 * Sends a file in the parts that the SDK would send, three at once.
 *
 * @returns what `send` returned for each part, in their order
 */
export async function sendParts<Sent>(
  path: string,
  send: (part: {
    readonly number: number;
    readonly start: number;
    readonly body: Buffer<ArrayBuffer>;
  }) => Promise<Sent>,
): Promise<Sent[]> {
  await using file = await open(path);
  const { size } = await file.stat();
  const sent: Sent[] = [];
  let next = 0;
  const sendInTurn = async () => {
    const buffer = Buffer.alloc(partBytes);
    while (next * partBytes < size) {
      const number = next;
      next += 1;
      const start = number * partBytes;
      const { bytesRead } = await file.read(buffer, 0, partBytes, start);
      sent[number] = await send({ number, start, body: buffer.subarray(0, bytesRead) });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendInTurn));
  return sent;
}

/** Reads a content and returns its length. */
export async function readAll(url: string): Promise<number> {
  const { ok, status, body } = await fetch(url);
  if (!ok) throw new Error(`GET ${url}: ${status}`);
  let bytes = 0;
  for await (const chunk of body ?? []) bytes += chunk.length;
  return bytes;
}
