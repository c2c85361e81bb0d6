import { type Clock, DocumentVault, type DocumentVaultOptions } from '@document-vault/sdk';
import { type Cipher, createCipher } from '@document-vault/sdk/crypto';
import type { Environment } from './suite.ts';

/** A clock that jumps to the end of each sleep instead of waiting, and records the sleeps. */
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

/** Creates a client with the API key of the account. */
export function keyClient(
  { service, account }: Environment,
  options: Partial<DocumentVaultOptions> = {},
): DocumentVault {
  return new DocumentVault({
    baseUrl: service,
    apiKey: account.apiKey,
    // credentials.ts covers API keys in browsers without this option.
    dangerouslyAllowBrowser: true,
    clock: new JumpingClock(),
    ...options,
  });
}

/** Creates a client and logs in. */
export async function signedIn(
  { service, account: { email, password } }: Environment,
  options: Partial<DocumentVaultOptions> = {},
): Promise<DocumentVault> {
  const client = new DocumentVault({
    baseUrl: service,
    session: {},
    clock: new JumpingClock(),
    ...options,
  });
  await client.auth.login({ email, password });
  return client;
}

/** Creates a client whose requests go to a scenario of the stub server. */
export function stubClient(
  environment: Environment,
  scenario: string,
  options: Partial<DocumentVaultOptions> = {},
): DocumentVault {
  return keyClient(environment, { baseUrl: `${environment.stub}/${scenario}`, ...options });
}

/** Counts requests by path. Pass `onRequest` to the client. */
export function requestCounter() {
  const counts = new Map<string, number>();
  return {
    of: (path: string) => counts.get(path) ?? 0,
    onRequest: ({ path }: { path: string }) => {
      counts.set(path, (counts.get(path) ?? 0) + 1);
    },
  };
}

const ciphers = new Map<string, Promise<Cipher>>();

/** Creates a cipher of each passphrase once: the derivation takes some tenths of a second. */
export function quickCipher(passphrase = 'open sesame'): Promise<Cipher> {
  const cipher = ciphers.get(passphrase) ?? createCipher({ passphrase });
  ciphers.set(passphrase, cipher);
  return cipher;
}

/** Creates a client and a vault. */
export async function withVault(
  environment: Environment,
  options: Partial<DocumentVaultOptions> = {},
) {
  const client = keyClient(environment, options);
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
  return { client, vaultId };
}
