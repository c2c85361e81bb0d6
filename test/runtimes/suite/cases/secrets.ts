import type { DocumentVault } from '@document-vault/sdk';
import { check } from '../check.ts';
import { keyClient, quickCipher, signedIn, stubClient } from '../clients.ts';
import type { Case, Environment } from '../suite.ts';

type Inspect = (value: unknown, options: object) => string;

/** Globals of the runtimes with functions that print values. */
interface Globals {
  readonly Deno?: { readonly inspect: Inspect };
  readonly Bun?: { readonly inspect: Inspect };
  readonly process?: {
    readonly getBuiltinModule?: (name: string) => { readonly inspect: Inspect } | undefined;
  };
}

/** Returns a value as text in every way in which programs log it. */
function textsOf(value: unknown): string {
  const { Deno, Bun, process } = globalThis as Globals;
  const inspects = [Deno?.inspect, Bun?.inspect, process?.getBuiltinModule?.('node:util')?.inspect];
  const inspected = inspects.map((inspect) => inspect?.(value, { depth: 10, showHidden: true }));
  const error = value instanceof Error ? [value.stack, textsOf(value.cause)] : [];
  return [...inspected, JSON.stringify(value), String(value), ...error].join('\n');
}

async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  return promise.then(
    () => check(false, 'the call did not fail'),
    (error: unknown) => error,
  );
}

/** Makes calls that fail in different ways. Returns the client and the errors. */
async function clientAndErrors(
  environment: Environment,
  secret: string,
  client: DocumentVault,
): Promise<unknown[]> {
  const errors: unknown[] = [client];
  const unconnected = keyClient(environment, { baseUrl: environment.closedPort, maxRetries: 0 });
  const broken = stubClient(environment, 'broken-body', { maxRetries: 0 });
  for (const { shares, auth } of [client, unconnected, broken]) {
    errors.push(await failureOf(shares.open(secret)));
    const account = { email: 'a@example.com', password: secret };
    errors.push(await failureOf(auth.register({ ...account, name: '' })));
  }
  return errors;
}

export const secretCases: readonly Case[] = [
  {
    name: 'clients, errors and logs contain no API key, token, password or share token',
    async run(environment) {
      const secret = 'CANARY-SECRET';
      const logged: unknown[] = [];
      const log = (...line: unknown[]) => logged.push(line);
      const logger = { debug: log, warn: log };
      const client = keyClient(environment, { logger, onRequest: log, onResponse: log });
      const user = await signedIn(environment, { logger, onRequest: log, onResponse: log });
      const shown = [...(await clientAndErrors(environment, secret, client)), user, logged]
        .map(textsOf)
        .join();
      const { apiKey, password } = environment.account;
      for (const word of [secret, apiKey, password, 'eyJ']) {
        const at = shown.indexOf(word);
        check(at < 0, `${word} is in the text: …${shown.slice(Math.max(0, at - 200), at + 80)}…`);
      }
    },
  },
  {
    name: 'a cipher and sealed content contain neither passphrase nor plaintext as text',
    async run() {
      const cipher = await quickCipher('CANARY-PASSPHRASE');
      const sealed = await cipher.seal('CANARY-PLAINTEXT', { fileName: 'sealed.txt' });
      check(!textsOf([cipher, sealed]).includes('CANARY'), 'the text contains a canary');
    },
  },
];
