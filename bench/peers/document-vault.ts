/** This server as it is shipped: durable commits, credentials, limits, validation, events, log. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newVault, vaultCount } from '../data.ts';
import { sendAll } from '../load.ts';
import { contractPaths, type Target } from '../scenarios.ts';
import type { Peer } from './peer.ts';

/** The built program, beside the entry that other programs import. */
export const builtServer = fileURLToPath(
  new URL('./main.js', import.meta.resolve('@document-vault/server')),
);

/** A limit of every tier that no run reaches. */
const plenty = '1000000000,1000000000,1000000000';

export const documentVault: Peer = {
  name: 'vault',
  title: 'Document Vault',
  packages: ['@document-vault/server', 'koa', 'better-sqlite3'],
  durability: 'FULL, shared commits',
  stores: true,

  command: ({ folder, port }) => [
    builtServer,
    ...['--mode', 'development', '--data', folder, '--port', String(port)],
    ...['--requests-per-hour', plenty],
    ...['--requests-per-minute', plenty],
    ...['--graphql-points', plenty],
  ],

  async open(url, { folder }) {
    const account = await developmentAccount(url, folder);
    const target = { url, headers: { 'x-api-key': account.apiKey }, paths: contractPaths };
    if ((await totalCount(target)) < vaultCount) await fill(target);
    const page = await get(target, `?page=${vaultCount / 200}&pageSize=100`);
    const sessionHeaders = { authorization: `Bearer ${await login(url, account)}` };
    return { ...target, sessionHeaders, vaultIds: page.data.map(({ id }) => id) };
  },
};

interface Account {
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
}

/** The account is made when the server listens already, and is written down before it is made. */
export async function developmentAccount(url: string, folder: string): Promise<Account> {
  for (;;) {
    const account = await writtenAccount(folder);
    if (account !== undefined && (await isMade(url, account))) return account;
    await delay(5);
  }
}

async function writtenAccount(folder: string): Promise<Account | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'development.json'), 'utf8')) as Account;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!missing && !(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

async function isMade(url: string, { apiKey }: Account): Promise<boolean> {
  const response = await fetch(`${url}/api/v1/auth/validate`, { headers: { 'x-api-key': apiKey } });
  await response.arrayBuffer();
  return response.ok;
}

/** Returns an access token, which is valid for an hour: longer than a run. */
export async function login(
  url: string,
  { email, password }: Pick<Account, 'email' | 'password'>,
): Promise<string> {
  const response = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`the account cannot log in: ${await response.text()}`);
  const { accessToken } = (await response.json()) as { readonly accessToken: string };
  return accessToken;
}

type Door = Omit<Target, 'vaultIds'>;

interface VaultPage {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: { readonly totalCount: number };
}

async function get({ url, headers, paths }: Door, query: string): Promise<VaultPage> {
  const response = await fetch(url + paths.vaults + query, { headers });
  if (!response.ok) throw new Error(`the vaults cannot be listed: ${await response.text()}`);
  return (await response.json()) as VaultPage;
}

async function totalCount(door: Door): Promise<number> {
  return (await get(door, '')).pagination.totalCount;
}

/** Through HTTP alone: the store belongs to the server. */
async function fill({ url, headers, paths }: Door): Promise<void> {
  const requests = Array.from({ length: vaultCount }, (_, index) => ({
    method: 'POST' as const,
    path: paths.vaults,
    body: JSON.stringify(newVault(index)),
  }));
  await sendAll({ url, headers, requests, status: 201, connections: 50 });
}
