import { loadCode } from '../errors.ts';
import type { Settings } from '../options.ts';
import type { Api } from './api.ts';
import { type Credentials, createGeneration } from './credentials.ts';
import type { Session } from './session.ts';

/** The session of a client whose code is loaded by the first call that needs it. */
export interface LazySession extends Credentials {
  /** Runs `work` with the session. It begins at once when the code has been loaded. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
}

/** Creates the session of a client. A client with an API key does without its code. */
export function createLazySession(settings: Settings, api: () => Api): LazySession {
  const first = createGeneration(false);
  let session: Session | undefined;
  // Nothing keeps the promise: workerd ends it with the request that made it.
  const load = async () => {
    const { createSession } = await loadCode(() => import('./session.ts'));
    session ??= createSession(settings, api(), first);
    return session;
  };
  return {
    get generation() {
      return session?.generation ?? first;
    },
    authorize: (begun) =>
      session ? session.authorize(begun) : load().then((loaded) => loaded.authorize(begun)),
    isSession: true,
    observe: (response) => session?.observe(response),
    use: (work) => (session ? work(session) : load().then(work)),
  };
}
