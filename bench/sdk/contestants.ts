/** Who gets a vault over the same stub. */
import { isDeepStrictEqual } from 'node:util';
import { apiKey, respond, type StubFetch, url, vault } from './stub.ts';

export interface Contestant {
  readonly title: string;
  /** Of a peer; what is written by hand and this repository's own have none. */
  readonly packageName?: string;
  /** Makes the call that is measured: gets the vault and resolves to its parsed body. */
  prepare(fetch: StubFetch): Promise<() => Promise<unknown>>;
}

/** A contestant ready to be measured. */
export interface Ready extends Contestant {
  readonly call: () => Promise<unknown>;
}

/**
 * Makes sure that what is measured is a whole call: sent with the key, returning the vault.
 * Undefined when the peer is not installed.
 */
export async function makeReady(contestant: Contestant): Promise<Ready | undefined> {
  const sent: string[] = [];
  try {
    const noted = await contestant.prepare((input, init) => {
      const headers = new Headers(input instanceof Request ? input.headers : init?.headers);
      const key = headers.get('x-api-key') ?? headers.get('authorization')?.replace('Bearer ', '');
      sent.push(`${input instanceof Request ? input.url : input} ${key}`);
      return respond();
    });
    const body = await noted();
    if (!isDeepStrictEqual([sent, body], [[`${url} ${apiKey}`], vault])) {
      throw new Error(`${contestant.title} sent ${sent} and returned ${JSON.stringify(body)}`);
    }
    return { ...contestant, call: await contestant.prepare(respond) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
