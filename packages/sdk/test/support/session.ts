import { memoryTokenStore, type Tokens } from '@document-vault/sdk';
import { vi } from 'vitest';
import { sessionClient } from './client.ts';
import { JumpingClock } from './clock.ts';
import type { SentRequest } from './fetch.ts';
import { failure, json, vaultBody } from './responses.ts';

export const hour = 3_600_000;
export const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** Creates a store with tokens that never expire. */
export function storeOf(accessToken: string, refreshToken: string) {
  const store = memoryTokenStore();
  const expiresAt = Number.MAX_SAFE_INTEGER;
  store.set({ accessToken, refreshToken, expiresIn: 3_600, expiresAt });
  return store;
}

/** Returns a promise and the function that resolves it. */
export function latch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Creates a service with refresh tokens whose access tokens are valid until `expireAll` is called. */
export function sessionService(clock = new JumpingClock()) {
  const state = {
    generation: 1,
    /** The first generation whose access token has not expired. */
    validFrom: 1,
    refreshes: 0,
    sent: [] as SentRequest[],
    beforeRefresh: async () => {},
    beforeAnswer: async (_url: string) => {},
    answerLogin: undefined as (() => Response) | undefined,
    answer: undefined as (() => Response) | undefined,
    refuseRefresh: undefined as (() => Response) | undefined,
  };
  const pair = () => ({
    accessToken: `access-${state.generation}`,
    refreshToken: `refresh-${state.generation}`,
    expiresIn: 3_600,
  });
  const refresh = async (body: string) => {
    state.refreshes++;
    await state.beforeRefresh();
    if (state.refuseRefresh) return state.refuseRefresh();
    if (JSON.parse(body).refreshToken !== `refresh-${state.generation}`) {
      return failure(401, 'INVALID_TOKEN');
    }
    state.generation++;
    return json(pair());
  };
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const headers = init.headers as Record<string, string>;
    const body = init.body as string;
    state.sent.push({
      url,
      method: init.method ?? '',
      headers,
      body,
      signal: init.signal as AbortSignal,
    });
    await new Promise(setImmediate);
    if (url.endsWith('/auth/login')) return state.answerLogin?.() ?? json(pair());
    if (url.endsWith('/auth/logout')) return new Response(null, { status: 204 });
    if (url.endsWith('/auth/refresh')) return refresh(body);
    await state.beforeAnswer(url);
    if (state.answer) return state.answer();
    if (headers.authorization === undefined) return failure(401, 'MISSING_AUTH');
    const generation = Number(/^Bearer access-(\d+)$/.exec(headers.authorization)?.[1]);
    return generation >= state.validFrom ? json(vaultBody) : failure(401, 'EXPIRED_TOKEN');
  };
  /** Expires all access tokens so far. */
  const expireAll = () => {
    state.validFrom = ++state.generation;
    store.set({ ...(store.get() as Tokens), refreshToken: `refresh-${state.generation}` });
  };
  const store = memoryTokenStore();
  const onExpired = vi.fn();
  const client = sessionClient({ fetch, clock, session: { store, onExpired } });
  return { state, client, store, onExpired, clock, expireAll, fetch };
}

export async function loggedIn() {
  const service = sessionService();
  await service.client.auth.login(ada);
  service.state.sent.length = 0;
  return service;
}
