/** A request that an injected fetch received. */
export interface SentRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | null;
  signal: AbortSignal;
}

/** Returns the response to a request, or throws. */
export type Reaction = (request: SentRequest) => Response | Promise<Response>;

/** Creates a `fetch` that records requests. Reactions run in order, and the last one repeats. */
export function scriptedFetch(...reactions: [Reaction, ...Reaction[]]) {
  const sent: SentRequest[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request = {
      url,
      method: init.method ?? '',
      headers: init.headers as Record<string, string>,
      body: init.body as string | null,
      signal: init.signal as AbortSignal,
    };
    const reaction = reactions[Math.min(sent.length, reactions.length - 1)];
    sent.push(request);
    if (!reaction) throw new Error('no reaction');
    return reaction(request);
  };
  return { fetch, sent };
}
