import { DocumentVault, memoryTokenStore } from '@document-vault/sdk';
import { JumpingClock } from './clients.ts';
import { control } from './control.ts';
import type { Environment } from './suite.ts';

/** A call with the global client, during one request to the worker. */
interface Step {
  readonly environment: Environment;
  /** Creates the client first and logs in, through this scenario of the stub server. */
  readonly login?: string;
  /** Advances the clock of the client first, by milliseconds. */
  readonly advance?: number;
  /** Ends the request as soon as the client asks for a renewal, before the call has finished. */
  readonly leave?: boolean;
}

/** A client that is used by several requests to the worker, as in most programs. */
let state: {
  client: DocumentVault;
  clock: JumpingClock;
  store: ReturnType<typeof memoryTokenStore>;
};

/** Takes a step and returns the refresh token afterwards. */
export async function takeStep(step: Step): Promise<string | undefined> {
  const { environment, login, advance = 0, leave } = step;
  if (login !== undefined) {
    const clock = new JumpingClock();
    const store = memoryTokenStore();
    const baseUrl = `${environment.stub}/${login}`;
    state = { client: new DocumentVault({ baseUrl, clock, session: { store } }), clock, store };
    const { email, password } = environment.account;
    await state.client.auth.login({ email, password });
  }
  state.clock.advance(advance);
  const call = state.client.users.me();
  call.catch(() => {});
  await (leave ? renewalRequested(environment) : call);
  return (await state.store.get())?.refreshToken;
}

/** Sends a step to the worker. */
export async function requestStep(step: Step): Promise<string> {
  const init = { method: 'POST', body: JSON.stringify(step) };
  const response = await fetch(`${step.environment.worker}/steps`, init);
  if (!response.ok) throw new Error(`the worker failed: ${await response.text()}`);
  return response.text();
}

/** Resolves when the stub server has received a request for a renewal. */
async function renewalRequested(environment: Environment): Promise<void> {
  for (;;) {
    const { stub } = await control(environment, 'requests');
    if (stub.some(({ url }) => url.endsWith('/auth/refresh'))) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
