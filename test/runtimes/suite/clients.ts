import { type Clock, DocumentVault, type DocumentVaultOptions } from '@document-vault/sdk';
import { type Cipher, createCipher } from '@document-vault/sdk/crypto';
import type { World } from './suite.ts';

/** A clock whose sleepers sleep no time at all: it jumps to the end of each sleep and notes it. */
export class JumpingClock implements Clock {
  readonly slept: number[] = [];
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  async sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.advance(ms);
  }

  advance(ms: number): void {
    this.#ahead += ms;
  }
}

/** A client with the account's API key. */
export function keyClient(
  { service, account }: World,
  options: Partial<DocumentVaultOptions> = {},
): DocumentVault {
  return new DocumentVault({
    baseUrl: service,
    apiKey: account.apiKey,
    // What a browser does without it has a case of its own.
    dangerouslyAllowBrowser: true,
    clock: new JumpingClock(),
    ...options,
  });
}

/** A client that is signed in. */
export async function signedIn(
  { service, account: { email, password } }: World,
  options: Partial<DocumentVaultOptions> = {},
): Promise<DocumentVault> {
  const client = new DocumentVault({ baseUrl: service, clock: new JumpingClock(), ...options });
  await client.auth.login({ email, password });
  return client;
}

/** A client of the companion, which treats every request as `scene` says. */
export function sceneClient(
  world: World,
  scene: string,
  options: Partial<DocumentVaultOptions> = {},
): DocumentVault {
  return keyClient(world, { baseUrl: `${world.companion}/${scene}`, ...options });
}

/** Counts the requests of a client by their path. */
export function requestCounter() {
  const counts = new Map<string, number>();
  return {
    of: (path: string) => counts.get(path) ?? 0,
    onRequest: ({ path }: { path: string }) => {
      counts.set(path, (counts.get(path) ?? 0) + 1);
    },
  };
}

/** A cipher whose key is derived at once: what the iterations cost has a case of its own. */
export function quickCipher(passphrase = 'open sesame'): Promise<Cipher> {
  return createCipher({ passphrase, iterations: 1_000 });
}

/** A vault of the account and its client. */
export async function withVault(world: World, options: Partial<DocumentVaultOptions> = {}) {
  const client = keyClient(world, options);
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
  return { client, vaultId };
}
