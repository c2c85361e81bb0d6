import { DocumentVault, type DocumentVaultOptions } from '@document-vault/sdk';
import { JumpingClock } from './clock.ts';

export const baseUrl = 'https://vault.example.com';
export const apiKey = `service_sk_${'a1B2c3D4e5'.repeat(4)}`;

/** Creates a client with an API key whose waits take no time. */
export function keyClient(options: Partial<DocumentVaultOptions> = {}): DocumentVault {
  return new DocumentVault({ baseUrl, apiKey, clock: new JumpingClock(), ...options });
}

/** Creates a client with a session whose waits take no time. */
export function sessionClient(options: Partial<DocumentVaultOptions> = {}): DocumentVault {
  return new DocumentVault({ baseUrl, session: {}, clock: new JumpingClock(), ...options });
}

/** Returns the error with which a promise rejects. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It did not reject');
}
