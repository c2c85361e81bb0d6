import type { ServerResponse } from 'node:http';
import type { Reply } from './delivery/receiver.ts';

/** A way for receivers to answer: not at all until they are released, at once from then on. */
export function held(): { readonly reply: Reply; release(): void } {
  const waiting: ServerResponse[] = [];
  let released = false;
  return {
    reply(response) {
      if (released) response.end();
      else waiting.push(response);
    },
    release() {
      released = true;
      for (const response of waiting.splice(0)) response.end();
    },
  };
}
