/** What OAuth costs: a read by the token of an app, the first authorization after a start, and the start itself. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { approve, Browser } from '../test/form-browser.ts';
import { parseOAuthArguments } from './arguments.ts';
import { addSlice, emptyMeasurement, type Load } from './load.ts';
import { describeMachine, pinLoad, type Surroundings, splitCores } from './machine.ts';
import { developmentAccount, documentVault, login } from './peers/document-vault.ts';
import {
  type AnsweringProcess,
  freePort,
  launch,
  processorSeconds,
  withScratchFolder,
} from './process.ts';
import { median } from './results.ts';
import { contractPaths } from './scenarios.ts';
import { failWhenMissed, judgementOf, judgementTable } from './targets.ts';

const redirectUri = 'https://app.example/callback';

/** One server on a folder of its own. */
interface Running {
  readonly url: string;
  readonly process: AnsweringProcess;
}

interface Options extends Surroundings {
  readonly seconds: number;
  /** Slices of load by each token, one after the other. */
  readonly rounds: number;
  readonly starts: number;
}

export async function oauth(args: readonly string[]): Promise<void> {
  const asked = parseOAuthArguments(args);
  const cores = splitCores();
  pinLoad(cores);
  const judgements = await withScratchFolder((scratch) => measure({ ...asked, scratch, cores }));
  console.log(`${describeMachine(cores)}\n\n${judgementTable(judgements)}`);
  failWhenMissed(judgements);
}

async function measure(options: Options) {
  const folder = join(options.scratch, 'oauth');
  await mkdir(folder);
  const first = await start(options, folder, 'auto');
  const account = await developmentAccount(first.url, folder);
  const session = await login(first.url, account);
  const clientId = await registerClient(first.url, session);
  const token = await getToken(first.url, clientId, account);
  const reads = await compareReads(first, { session, token }, options);
  await first.process.stop();
  const begun = { off: [] as number[], auto: [] as number[], authorization: [] as number[] };
  for (let round = 0; round < options.starts; round += 1) {
    for (const mode of ['off', 'auto'] as const) {
      const { url, process } = await start(options, folder, mode);
      begun[mode].push(1000 * processorSeconds(process.pid));
      if (mode === 'auto') begun.authorization.push(await extraOfFirst(url, clientId));
      await process.stop();
    }
  }
  return [
    judgementOf({
      name: 'get: processor time by the token of an app × by that of a session',
      bound: 'at most',
      limit: 1.05,
      reached: median(reads),
    }),
    judgementOf({
      name: 'first authorization after a start: ms more than the second one',
      bound: 'at most',
      limit: 400,
      reached: median(begun.authorization),
    }),
    judgementOf({
      name: 'start: processor time with --oauth auto × with --oauth off',
      bound: 'at most',
      limit: 1.05,
      reached: median(begun.auto) / median(begun.off),
    }),
  ];
}

async function start(
  { scratch, cores }: Surroundings,
  folder: string,
  mode: 'off' | 'auto',
): Promise<Running> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const process = await launch({
    name: documentVault.title,
    args: [...documentVault.command({ folder, port }), '--oauth', mode],
    folder,
    url: url + contractPaths.vaults,
    logFile: join(scratch, 'oauth.log'),
    cores,
  });
  return { url, process };
}

async function post(url: string, token: string, body: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, string>>;
}

/** Registers a public client and returns its id. */
async function registerClient(url: string, session: string): Promise<string> {
  const { clientId = '' } = await post(`${url}/api/v1/oauth/clients`, session, {
    name: 'Bench',
    type: 'public',
    redirectUris: [redirectUri],
    scopes: ['vaults:read'],
  });
  return clientId;
}

function authorizationUrl(url: string, clientId: string, challenge: string): string {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'vaults:read',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return `${url}/oauth/authorize?${query}`;
}

/** Lets the account approve the client, and returns an access token. */
async function getToken(
  url: string,
  clientId: string,
  account: { readonly email: string; readonly password: string },
): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const visit = await approve(
    new Browser({ url }),
    authorizationUrl(url, clientId, challenge),
    account,
  );
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code: visit.leaves?.searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: redirectUri,
    }),
  });
  if (!response.ok) throw new Error(`no token: ${await response.text()}`);
  const { access_token: token } = (await response.json()) as { readonly access_token: string };
  return token;
}

/** Returns, for each round, the processor time of a read by the token of the app, divided by that of the session. */
async function compareReads(
  { url, process }: Running,
  { session, token }: { readonly session: string; readonly token: string },
  { seconds, rounds }: Options,
): Promise<readonly number[]> {
  const { id } = await post(url + contractPaths.vaults, session, { name: 'Bench' });
  const cost = async (credential: string) => {
    const load: Load = {
      url,
      headers: { authorization: `Bearer ${credential}` },
      requests: [{ method: 'GET', path: `${contractPaths.vaults}/${id}` }],
      status: 200,
      connections: 50,
    };
    const before = processorSeconds(process.pid);
    const measured = emptyMeasurement();
    await addSlice(measured, load, seconds / rounds);
    return (processorSeconds(process.pid) - before) / measured.responses;
  };
  for (const credential of [session, token]) await cost(credential);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Each of them is the first one as often as the other.
    const [first, second] = round % 2 === 0 ? [session, token] : [token, session];
    const costs = new Map([[first, await cost(first)]]);
    costs.set(second, await cost(second));
    ratios.push((costs.get(token) ?? Number.NaN) / (costs.get(session) ?? Number.NaN));
  }
  return ratios;
}

/** Milliseconds from the request of an app to the page of the sign-in: by how much the first one takes longer. */
async function extraOfFirst(url: string, clientId: string): Promise<number> {
  const time = async () => {
    const began = performance.now();
    const challenge = randomBytes(32).toString('base64url');
    const page = await new Browser({ url }).open(authorizationUrl(url, clientId, challenge));
    if (!page.html.includes('type="password"')) throw new Error(`no sign-in page: ${page.html}`);
    return performance.now() - began;
  };
  const first = await time();
  return first - (await time());
}
