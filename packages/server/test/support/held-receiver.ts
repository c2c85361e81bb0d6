import type { ServerResponse } from 'node:http';
import type { Reply } from './delivery/receiver.ts';

/** A reply for receivers that responds only after `release()`, and immediately from then on. */
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
