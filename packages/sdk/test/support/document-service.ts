import { keyClient } from './client.ts';
import { json } from './responses.ts';

export const text = 'Grüße aus dem Tresor, zweimal: Grüße aus dem Tresor';
export const bytes = new TextEncoder().encode(text);

/** Creates a client and a service that stores documents. */
export function documentService() {
  const stored: Record<string, unknown>[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    if (init.method === 'POST') {
      const { encryptedData, ...document } = JSON.parse(init.body as string);
      stored.push({ id: `d${stored.length}`, encryptedData, ...document });
      return json({ id: `d${stored.length - 1}`, ...document }, { status: 201 });
    }
    const index = Number(url.split('/').at(-1)?.slice(1));
    return json(stored[index]);
  };
  return { stored, fetch, client: keyClient({ fetch }) };
}

/** The bytes in pieces. */
export const chunks = () => [bytes.subarray(0, 7), bytes.subarray(7, 20), bytes.subarray(20)];

export const streamed = () =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks()) controller.enqueue(chunk);
      controller.close();
    },
  });
