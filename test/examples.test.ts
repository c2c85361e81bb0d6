import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { DocumentVault } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { startServer } from '@document-vault/server';
import type { ReceivedEvent } from '@document-vault/webhook-verify';
import { signedRequest } from '@document-vault/webhook-verify/sign';
import { afterEach, expect, test } from 'vitest';

const secret = 'example-secret-0123456789abcdefghijk';
const previous = 'earlier-secret-0123456789abcdefghijk';
const forged = { 'X-Service-Signature': `hmac_sha256=${'0'.repeat(64)}` };
const processes: ChildProcess[] = [];

afterEach(async () => {
  for (const child of processes.splice(0)) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
});

interface RunningExample {
  readonly url: string;
  /** The next line that the example prints. */
  printed(): Promise<string>;
  /** The next line that it warns with. */
  warned(): Promise<string>;
}

/** Runs an example as its first comment says, on a free port. */
async function start(file: string, env: Record<string, string>): Promise<RunningExample> {
  const child = spawn(process.execPath, ['--conditions=@document-vault/source', file], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  processes.push(child);
  const printed = linesOf(child.stdout);
  const warned = linesOf(child.stderr);
  return { url: await printed(), printed, warned };
}

function linesOf(stream: Readable): () => Promise<string> {
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  return async () => String((await lines.next()).value);
}

/** The lines that an example prints, which ends by itself. */
async function outputOf(file: string, env: Record<string, string>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@document-vault/source', file],
    { env: { ...process.env, ...env }, timeout: 20_000 },
  );
  return stdout.trim().split('\n');
}

async function exampleEvent(type: string): Promise<ReceivedEvent> {
  const { webhooks } = JSON.parse(await readFile('openapi/v1.json', 'utf8'));
  return webhooks[type].post.requestBody.content['application/json'].example;
}

async function deliver(url: string, request: RequestInit): Promise<number> {
  return (await fetch(url, request)).status;
}

test('the receiver in Express queues each document once', async () => {
  const { url, printed, warned } = await start('examples/express-receiver.ts', {
    DATABASE: ':memory:',
  });
  const uploaded = signedRequest(await exampleEvent('document.uploaded'), secret);
  const deleted = signedRequest(await exampleEvent('vault.deleted'), secret);
  const { data } = JSON.parse(uploaded.body);

  expect(await deliver(url, { ...uploaded, headers: forged })).toBe(401);
  expect(await warned()).toMatch(/^answered 401: /);
  expect(await deliver(url, uploaded)).toBe(200);
  expect(await printed()).toBe(`queued ${data.object.fileName}`);
  expect(await deliver(url, uploaded)).toBe(200);
  expect(await deliver(url, deleted)).toBe(200);
  expect(await printed()).toBe(`deleted ${JSON.parse(deleted.body).data.object.id}`);
  expect(await (await fetch(new URL('/', url))).json()).toEqual({ healthy: true });
});

test('the receiver in Koa takes both secrets', async () => {
  const env = { WEBHOOK_SECRET_PREVIOUS: previous };
  const { url, printed, warned } = await start('examples/koa-receiver.ts', env);
  const event = await exampleEvent('vault.created');
  const later = { ...event, id: 'evt_00000000000000000000000000000001' };

  expect(await deliver(url, { ...signedRequest(event, secret), headers: forged })).toBe(401);
  expect(await warned()).toMatch(/secret is wrong/);
  expect(await deliver(url, signedRequest(event, secret))).toBe(200);
  expect(await printed()).toBe(`vault.created ${event.id}`);
  expect(await deliver(url, signedRequest(later, previous))).toBe(200);
  expect(await printed()).toBe(`vault.created ${later.id}, signed with the previous secret`);
  expect(await (await fetch(new URL('/', url))).json()).toEqual({ healthy: true });
});

test('the report asks for everything in one request of GraphQL', async () => {
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
  try {
    const apiKey = server.account?.apiKey ?? '';
    const vault = new DocumentVault({ baseUrl: server.url, apiKey });
    const { id: vaultId } = await vault.vaults.create({ name: 'Taxes' });
    const cipher = await createCipher({ passphrase: 'only I know this', iterations: 1 });
    const letter = await vault.documents.upload('Dear Ada', { vaultId, cipher, fileName: 'a.txt' });
    await vault.documents.share(letter.id);
    const env = { VAULT_URL: server.url, VAULT_API_KEY: apiKey };
    expect(await outputOf('examples/graphql-report.ts', env)).toEqual([
      `Taxes: ${letter.sizeBytes} bytes`,
      '  a.txt, shared 1 times',
      '9 points; 49991 of 50000 left',
    ]);
  } finally {
    await server.close();
  }
});
