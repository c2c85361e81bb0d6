import type { DocumentVault } from '@document-vault/sdk';
import { check } from '../check.ts';
import { keyClient, quickCipher, sceneClient, signedIn } from '../clients.ts';
import type { Case, World } from '../suite.ts';

type Inspect = (value: unknown, options: object) => string;

/** Runtimes that show values in their own way. */
interface Scope {
  readonly Deno?: { readonly inspect: Inspect };
  readonly Bun?: { readonly inspect: Inspect };
  readonly process?: {
    readonly getBuiltinModule?: (name: string) => { readonly inspect: Inspect } | undefined;
  };
}

/** Every way in which a value turns up in a log. */
function traces(value: unknown): string {
  const { Deno, Bun, process } = globalThis as Scope;
  const inspects = [Deno?.inspect, Bun?.inspect, process?.getBuiltinModule?.('node:util')?.inspect];
  const inspected = inspects.map((inspect) => inspect?.(value, { depth: 10, showHidden: true }));
  const error = value instanceof Error ? [value.stack, traces(value.cause)] : [];
  return [...inspected, JSON.stringify(value), String(value), ...error].join('\n');
}

async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  return promise.then(
    () => check(false, 'it did not fail'),
    (error: unknown) => error,
  );
}

/** Fails in as many ways as a client can, and answers the client and its errors. */
async function failures(world: World, secret: string, client: DocumentVault): Promise<unknown[]> {
  const errors: unknown[] = [client];
  const nobody = keyClient(world, { baseUrl: world.nobody, maxRetries: 0 });
  const broken = sceneClient(world, 'broken-body', { maxRetries: 0 });
  for (const { shares, auth } of [client, nobody, broken]) {
    errors.push(await failureOf(shares.open(secret)));
    const account = { email: 'a@example.com', password: secret };
    errors.push(await failureOf(auth.register({ ...account, name: '' })));
  }
  return errors;
}

export const secretCases: readonly Case[] = [
  {
    name: 'no key, token, password or share token is shown by clients, errors and logs',
    async run(world) {
      const secret = 'CANARY-IN-A-HOUSE';
      const logged: unknown[] = [];
      const log = (...line: unknown[]) => logged.push(line);
      const logger = { debug: log, warn: log };
      const client = keyClient(world, { logger, onRequest: log, onResponse: log });
      const user = await signedIn(world, { logger, onRequest: log, onResponse: log });
      const shown = [...(await failures(world, secret, client)), user, logged].map(traces).join();
      const { apiKey, password } = world.account;
      for (const word of [secret, apiKey, password, 'eyJ']) {
        const at = shown.indexOf(word);
        check(at < 0, `${word} is shown: …${shown.slice(Math.max(0, at - 200), at + 80)}…`);
      }
    },
  },
  {
    name: 'a cipher shows neither passphrase nor plaintext',
    async run() {
      const cipher = await quickCipher('CANARY-PASSPHRASE');
      const sealed = await cipher.seal('CANARY-PLAINTEXT');
      check(!traces([cipher, sealed]).includes('CANARY'), 'it is shown');
    },
  },
];
