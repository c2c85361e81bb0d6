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
      stored.push({ encryptedData, ...document });
      return json(document, { status: 201 });
    }
    // A share has the token of its document's id.
    const id = url.split('/').at(-1);
    return json(stored.find((document) => document.id === id));
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
