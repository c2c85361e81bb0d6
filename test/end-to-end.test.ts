import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentVault } from '@document-vault/sdk';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { createVerifier, type ReceivedEvent } from '@document-vault/webhook-verify';
import { afterEach, beforeEach, expect, test } from 'vitest';

const secret = 'webhook-secret-0123456789abcdefghijklmnop';
const passphrase = 'correct horse battery staple';
const plaintext = randomBytes(100_000);

let folder: string;
const processes: ChildProcess[] = [];
const receivers: Server[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'document-vault-end-to-end-'));
});

afterEach(async () => {
  for (const child of processes.splice(0)) await end(child, 'SIGKILL');
  for (const receiver of receivers.splice(0)) {
    receiver.closeAllConnections();
    receiver.close();
  }
  await rm(folder, { recursive: true });
});

/** Starts the server as a user does: as a process, with data in the folder of the test. */
async function startProcess(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(
    process.execPath,
    [
      '--conditions=@document-vault/source',
      'packages/server/src/main.ts',
      ...['--port', '0', '--data', folder, '--log-level', 'warn', '--validate-responses'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  processes.push(child);
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    const url = /listening on (\S+)/.exec(printed)?.[1];
    if (url) return { url, child };
  }
  throw new Error(`the server ended before it listened: ${printed}`);
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

interface Received {
  readonly event: ReceivedEvent;
  readonly body: Buffer;
  readonly signature: string | undefined;
}

/** Starts a receiver that verifies each request. The test calls `respond` to end a request. */
async function startReceiver() {
  const verifier = createVerifier({ secrets: [secret] });
  const waiting: ((received: Received & { respond(status: number): void }) => void)[] = [];
  const arrived: (Received & { respond(status: number): void })[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const signature = request.headers['x-service-signature'] as string | undefined;
    const received = {
      event: await verifier.verify(body, request.headers),
      body,
      signature,
      respond: (status: number) => response.writeHead(status).end(),
    };
    const next = waiting.shift();
    if (next) next(received);
    else arrived.push(received);
  });
  receivers.push(receiver);
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  return {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`,
    next: () => {
      const received = arrived.shift();
      if (received) return Promise.resolve(received);
      return new Promise<Received & { respond(status: number): void }>((resolve) =>
        waiting.push(resolve),
      );
    },
    /** Types of the events that `next` has not returned. */
    unread: () => arrived.map(({ event }) => event.type),
  };
}

async function signIn(url: string): Promise<DocumentVault> {
  const text = await readFile(join(folder, 'development.json'), 'utf8');
  const { email, password } = JSON.parse(text);
  const client = new DocumentVault({ baseUrl: url, session: {} });
  await client.auth.login({ email, password });
  return client;
}

test('vault, upload and share access each cause one verified webhook event', async () => {
  const { url } = await startProcess();
  const receiver = await startReceiver();
  const client = await signIn(url);
  await client.webhooks.create({
    url: receiver.url,
    secret,
    events: ['vault.created', 'document.uploaded', 'document.share.accessed'],
  });

  const home = await client.vaults.create({ name: 'Home' });
  const first = await receiver.next();
  first.respond(200);
  expect(first.event).toMatchObject({ type: 'vault.created', data: { object: home } });

  await client.keyring.create({ passphrase });
  const document = await client.documents.upload(plaintext, {
    vaultId: home.id,
    fileName: 'deed.bin',
    mimeType: 'application/octet-stream',
  });
  const second = await receiver.next();
  second.respond(200);
  expect(second.event).toMatchObject({
    type: 'document.uploaded',
    data: { object: { id: document.id, sizeBytes: document.sizeBytes } },
    context: { userId: home.userId },
  });
  expect(second.body.toString()).not.toContain(document.encryptionMetadata.iv);

  // openShare gets only the link: no account and no passphrase.
  const share = await client.shares.create(document.id, { access: 'anyone', maxAccessCount: 1 });
  const page = 'https://app.example.com/open';
  const link = await shareUrl(share, { document, page });
  const opened = await openShare(link, { baseUrl: url });
  expect(Buffer.from(opened.bytes).equals(plaintext)).toBe(true);
  expect(opened.fileName).toBe('deed.bin');
  const third = await receiver.next();
  third.respond(200);
  expect(third.event).toMatchObject({
    type: 'document.share.accessed',
    data: { object: { shareId: share.id, accessCount: 1 } },
  });
  await expect(openShare(link, { baseUrl: url })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(receiver.unread()).toEqual([]);
});

test('a server killed during a delivery keeps the document and repeats the delivery', async () => {
  const { url, child } = await startProcess();
  const receiver = await startReceiver();
  const client = await signIn(url);
  await client.webhooks.create({ url: receiver.url, secret, events: ['document.uploaded'] });
  const home = await client.vaults.create({ name: 'Home' });
  await client.keyring.create({ passphrase });
  const document = await client.documents.upload(plaintext, {
    vaultId: home.id,
    fileName: 'deed.bin',
    mimeType: 'application/octet-stream',
  });

  // The delivery is under way and not acknowledged when the process dies.
  const interrupted = await receiver.next();
  await end(child, 'SIGKILL');

  const again = await startProcess();
  const delivered = await receiver.next();
  delivered.respond(200);
  expect(delivered.event.id).toBe(interrupted.event.id);
  expect(delivered.body.equals(interrupted.body)).toBe(true);
  expect(delivered.signature).toBe(interrupted.signature);
  expect(delivered.event).toMatchObject({
    type: 'document.uploaded',
    data: { object: { id: document.id, fileName: 'deed.bin' } },
  });

  const later = await signIn(again.url);
  await later.unlock({ passphrase });
  const downloaded = await later.documents.download(document.id);
  expect(Buffer.from(downloaded.bytes).equals(plaintext)).toBe(true);
  expect((await later.vaults.get(home.id)).documentCount).toBe(1);
  expect(receiver.unread()).toEqual([]);

  await end(again.child, 'SIGTERM');
  expect(again.child.exitCode).toBe(0);
});
