import { DocumentVault, memoryTokenStore } from '@document-vault/sdk';
import { JumpingClock } from './clients.ts';
import { control } from './control.ts';
import type { World } from './suite.ts';

/** What one request to a worker does with the client that is kept. */
interface Step {
  readonly world: World;
  /** Makes the client anew and logs in, in this scene of the companion. */
  readonly login?: string;
  /** Moves the client's clock first, in milliseconds. */
  readonly advance?: number;
  /** Answers when the call asks for a renewal, as a program does that waits for no call. */
  readonly leave?: boolean;
}

/** The client outlives the requests to a worker, as most programs keep theirs. */
let kept: {
  client: DocumentVault;
  clock: JumpingClock;
  store: ReturnType<typeof memoryTokenStore>;
};

/** Takes one step in a request of its own, and answers the refresh token afterwards. */
export async function useKept(step: Step): Promise<string | undefined> {
  const { world, login, advance = 0, leave } = step;
  if (login !== undefined) {
    const clock = new JumpingClock();
    const store = memoryTokenStore();
    const baseUrl = `${world.companion}/${login}`;
    kept = { client: new DocumentVault({ baseUrl, clock, session: { store } }), clock, store };
    const { email, password } = world.account;
    await kept.client.auth.login({ email, password });
  }
  kept.clock.advance(advance);
  const call = kept.client.users.me();
  call.catch(() => {});
  await (leave ? renewalAsked(world) : call);
  return (await kept.store.get())?.refreshToken;
}

/** Sends a step to the worker as a request. */
export async function request(step: Step): Promise<string> {
  const init = { method: 'POST', body: JSON.stringify(step) };
  const response = await fetch(`${step.world.worker}/kept`, init);
  if (!response.ok) throw new Error(`the worker failed: ${await response.text()}`);
  return response.text();
}

/** Resolves when somebody has asked the companion for a renewal. */
async function renewalAsked(world: World): Promise<void> {
  for (;;) {
    const { companion } = await control(world, 'arrivals');
    if (companion.some(({ url }) => url.endsWith('/auth/refresh'))) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
