import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentVault } from '@document-vault/sdk';
import { startServer } from '@document-vault/server';
import type { ReceivedEvent } from '@document-vault/webhook-verify';
import { signedRequest } from '@document-vault/webhook-verify/testing';
import { afterEach, expect, test, vi } from 'vitest';
import {
  type ExampleEnv,
  type RunningExample,
  runExample as run,
  spawnExample,
  startExample,
  stopExamples,
} from './example-processes.ts';

const secret = 'example-secret-0123456789abcdefghijk';
const previous = 'earlier-secret-0123456789abcdefghijk';
/** A valid recovery key of no account. */
const otherRecoveryKey = 'RF2C-BHP7-S34W-NJYC-SQ7C-ZM6H-TB9X-9NEP-XWTJ';
const forged = { 'X-Service-Signature': `hmac_sha256=${'0'.repeat(64)}` };

afterEach(stopExamples);

/** Starts a receiver on a free port. */
function start(file: string, env: ExampleEnv): Promise<RunningExample> {
  return startExample(file, { WEBHOOK_SECRET: secret, ...env });
}

/** Returns an example event of the contract with the current time: receivers reject old events. */
async function exampleEvent(type: string): Promise<ReceivedEvent> {
  const { webhooks } = JSON.parse(await readFile('openapi/v1.json', 'utf8'));
  const { example } = webhooks[type].post.requestBody.content['application/json'];
  return { ...example, timestamp: new Date().toISOString() };
}

async function deliver(url: string, request: RequestInit): Promise<number> {
  return (await fetch(url, request)).status;
}

test('the Express receiver queues a repeated document.uploaded event once', async () => {
  const { url, printed, warned } = await start('examples/express-receiver.ts', {
    DATABASE: ':memory:',
  });
  const uploaded = await signedRequest(await exampleEvent('document.uploaded'), secret);
  const deleted = await signedRequest(await exampleEvent('vault.deleted'), secret);
  const { data } = JSON.parse(uploaded.body);

  expect(await deliver(url, { ...uploaded, headers: forged })).toBe(401);
  expect(await warned()).toMatch(/^responded 401: /);
  expect(await deliver(url, uploaded)).toBe(200);
  expect(await printed()).toBe(`queued ${data.object.fileName}`);
  expect(await deliver(url, uploaded)).toBe(200);
  expect(await deliver(url, deleted)).toBe(200);
  expect(await printed()).toBe(`deleted ${JSON.parse(deleted.body).data.object.id}`);
  expect(await (await fetch(new URL('/', url))).json()).toEqual({ healthy: true });
});

test('the Koa receiver accepts signatures of both secrets and rejects others with 401', async () => {
  const env = { WEBHOOK_SECRET_PREVIOUS: previous };
  const { url, printed, warned } = await start('examples/koa-receiver.ts', env);
  const event = await exampleEvent('vault.created');
  const later = { ...event, id: 'evt_00000000000000000000000000000001' };

  expect(await deliver(url, { ...(await signedRequest(event, secret)), headers: forged })).toBe(
    401,
  );
  expect(await warned()).toMatch(/secret is wrong/);
  expect(await deliver(url, await signedRequest(event, secret))).toBe(200);
  expect(await printed()).toBe(`vault.created ${event.id}`);
  expect(await deliver(url, await signedRequest(later, previous))).toBe(200);
  expect(await printed()).toBe(`vault.created ${later.id}, signed with the previous secret`);
  expect(await (await fetch(new URL('/', url))).json()).toEqual({ healthy: true });
});

test.each([
  ['express-receiver.ts', 'WEBHOOK_SECRET'],
  ['koa-receiver.ts', 'WEBHOOK_SECRET'],
  ['create-keyring.ts', 'VAULT_PASSPHRASE'],
  ['share-file.ts', 'VAULT_RECOVERY_KEY'],
  ['sync-folder/sync-folder.ts', 'VAULT_RECOVERY_KEY'],
  ['large-file/upload.ts', 'VAULT_RECOVERY_KEY'],
  ['large-file/download.ts', 'VAULT_RECOVERY_KEY'],
  ['oauth-app/oauth-app.ts', 'CLIENT_SECRET'],
  ['device-login/device-login.ts', 'CLIENT_ID'],
])('%s without %s names the variable, without a stack', async (file, variable) => {
  const others = { VAULT_API_KEY: `service_sk_${'a'.repeat(40)}`, CLIENT_ID: 'an id' };
  const env = { ...others, [variable]: undefined };
  const args = file.includes('/device') ? [] : ['letter.pdf'];
  const { code, stdout, stderr } = await run(`examples/${file}`, args, env);
  expect(code).toBe(1);
  expect(stdout).toEqual([]);
  expect(stderr).toEqual([expect.stringMatching(new RegExp(`^${variable} is not set: `))]);
});

interface Account {
  /** Environment variables that the examples read. */
  readonly env: Record<string, string>;
  /** An unlocked client. */
  readonly client: DocumentVault;
}

/** Runs `work` with the account of a new server and an empty folder. */
async function withAccount(work: (account: Account, folder: string) => Promise<void>) {
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-examples-'));
  try {
    const apiKey = server.account?.apiKey ?? '';
    const client = new DocumentVault({ baseUrl: server.url, apiKey });
    const { recoveryKey } = await client.keyring.create({ passphrase: 'only I know this' });
    const account = { VAULT_URL: server.url, VAULT_API_KEY: apiKey };
    await work({ env: { ...account, VAULT_RECOVERY_KEY: recoveryKey }, client }, folder);
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
}

test('the GraphQL report prints vaults, documents, shares and the cost of its request', async () => {
  await withAccount(async ({ env, client }) => {
    const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
    const letter = await client.documents.upload('Dear Ada', { vaultId, fileName: 'a.txt' });
    await client.shares.create(letter.id);
    const report = await run('examples/graphql-report.ts', [], env);
    expect(report.stdout).toEqual([
      `Taxes: ${letter.sizeBytes} bytes`,
      '  a.txt, shared 1 times',
      '9 points; 49991 of 50000 left',
    ]);
  });
});

test('create-keyring prints a recovery key that unlocks, and refuses to replace the keyring', async () => {
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
  try {
    const apiKey = server.account?.apiKey ?? '';
    const client = new DocumentVault({ baseUrl: server.url, apiKey });
    const account = { VAULT_URL: server.url, VAULT_API_KEY: apiKey };
    const create = () =>
      run('examples/create-keyring.ts', [], { ...account, VAULT_PASSPHRASE: 'only I know this' });
    const { stdout, stderr } = await create();
    expect(stderr).toEqual([]);
    await client.unlock({ recoveryKey: stdout.join() });
    expect(await create()).toEqual({
      code: 1,
      stdout: [],
      stderr: ['The account has a keyring: unlock it, or replace it when its secrets are lost'],
    });
  } finally {
    await server.close();
  }
});

test('share-file prints a link that open-link opens --times times, then gets NOT_FOUND', async () => {
  await withAccount(async ({ env, client }, folder) => {
    const shared = await run('examples/share-file.ts', ['examples/letter.pdf', '--times=1'], env);
    const [link = ''] = shared.stdout;
    expect(shared.stderr.at(-1)).toBe('uploading: 870 of 870 bytes');
    const [document] = (await client.documents.list()).data;
    expect(document?.fileName).not.toContain('letter');

    const open = () => run('examples/open-link.ts', [link], { VAULT_URL: env.VAULT_URL }, folder);
    expect(await open()).toEqual({ code: 0, stdout: ['letter.pdf, 870 bytes'], stderr: [] });
    const letter = await readFile('examples/letter.pdf');
    expect(await readFile(join(folder, 'letter.pdf'))).toEqual(letter);
    expect(await open()).toMatchObject({
      code: 1,
      stdout: [],
      stderr: [expect.stringContaining('404 NOT_FOUND')],
    });
  });
});

test('sync-folder uploads new and changed files only, and deletes with --prune', async () => {
  await withAccount(async ({ env, client }, folder) => {
    const sync = (...more: string[]) =>
      run('examples/sync-folder/sync-folder.ts', [folder, '--vault=Papers', ...more], env);
    const change = (name: string, content: string) => writeFile(join(folder, name), content);
    await mkdir(join(folder, 'letters'));
    await change('letters/100%2F.txt', 'Dear Ada');
    await change('empty', '');

    const first = await sync();
    expect(first).toMatchObject({ code: 0, stdout: ['2 uploaded, 0 unchanged, 0 deleted'] });
    expect(first.stderr.toSorted()).toEqual(['uploaded empty', 'uploaded letters/100%2F.txt']);
    const names = (await client.documents.list()).data.map(({ fileName }) => fileName);
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).not.toMatch(/empty|letters/);

    await change('letters/100%2F.txt', 'Dear Ada, dear Grace');
    await rm(join(folder, 'empty'));
    expect((await sync()).stdout).toEqual(['1 uploaded, 0 unchanged, 0 deleted']);
    expect((await sync('--prune')).stdout).toEqual(['0 uploaded, 1 unchanged, 1 deleted']);
    const [kept, ...others] = (await client.documents.list()).data;
    expect(kept?.sizeBytes).toBeGreaterThan('Dear Ada, dear Grace'.length);
    expect(others).toEqual([]);

    const wrong = await run('examples/sync-folder/sync-folder.ts', [folder, '--vault=Papers'], {
      ...env,
      VAULT_RECOVERY_KEY: otherRecoveryKey,
    });
    expect(wrong).toMatchObject({
      code: 1,
      stdout: [],
      stderr: [expect.stringContaining('wrong passphrase or key')],
    });
  });
});

test('sync-folder uploads files above 32 MiB and paths above 160 bytes, and each of them once', async () => {
  await withAccount(async ({ env, client }, folder) => {
    const sync = () => run('examples/sync-folder/sync-folder.ts', [folder, '--vault=Films'], env);
    const long = join(folder, 'ä'.repeat(60), 'ö'.repeat(60));
    await mkdir(long, { recursive: true });
    await writeFile(join(long, 'a.txt'), 'one');
    await writeFile(join(long, 'b.txt'), 'two');
    await writeFile(join(folder, 'film.mp4'), randomBytes(33 * 1024 * 1024));
    expect(await sync()).toMatchObject({ code: 0, stdout: ['3 uploaded, 0 unchanged, 0 deleted'] });
    expect((await sync()).stdout).toEqual(['0 uploaded, 3 unchanged, 0 deleted']);
    expect((await client.documents.list()).data).toHaveLength(3);
  });
}, 120_000);

test('large-file begins anew when its checkpoint is broken', async () => {
  await withAccount(async ({ env, client }, folder) => {
    const film = join(folder, 'film.mp4');
    await writeFile(film, 'a short film');
    await writeFile(`${film}.upload.json`, '{"uploadId":"019cadd9-15');
    expect(await run('examples/large-file/upload.ts', [film], env)).toMatchObject({ code: 0 });
    expect((await client.documents.list()).data).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['film.mp4']);
  });
});

test('large-file uploads in parts, continues an interrupted upload, and downloads', async () => {
  await withAccount(async ({ env, client }, folder) => {
    const film = join(folder, 'film.mp4');
    const checkpoint = `${film}.upload.json`;
    await writeFile(film, randomBytes(9 * 1024 * 1024));

    // The program is killed as soon as a part may have been sent.
    const first = spawnExample('examples/large-file/upload.ts', [film], env);
    await vi.waitUntil(
      async () => /"parts":\["/.test(await readFile(checkpoint, 'utf8').catch(() => '')),
      {
        timeout: 30_000,
      },
    );
    first.kill('SIGKILL');
    await once(first, 'close');
    const { uploadId } = JSON.parse(await readFile(checkpoint, 'utf8'));
    expect((await client.documents.list()).data).toEqual([]);

    const again = await run('examples/large-file/upload.ts', [film], env);
    expect(again).toMatchObject({ code: 0, stderr: [] });
    const [document] = (await client.documents.list()).data;
    expect(again.stdout).toEqual([document?.id]);
    expect(document?.id).toBe(uploadId);
    expect(document?.fileName).not.toContain('film');
    await expect(access(checkpoint)).rejects.toThrow('ENOENT');

    const target = join(folder, 'downloaded');
    await mkdir(target);
    const download = await run(
      'examples/large-file/download.ts',
      [document?.id ?? '', target],
      env,
    );
    expect(download).toEqual({ code: 0, stdout: [join(target, 'film.mp4')], stderr: [] });
    expect(await readFile(join(target, 'film.mp4'))).toEqual(await readFile(film));
    expect(await readdir(target)).toEqual(['film.mp4']);
  });
}, 120_000);

test('large-file neither uploads a missing file nor overwrites one, and shows the reason', async () => {
  await withAccount(async ({ env, client }, folder) => {
    const upload = (path: string) => run('examples/large-file/upload.ts', [path], env);
    const letter = join(folder, 'letter.txt');
    const missing = await upload(letter);
    expect(missing).toMatchObject({
      code: 1,
      stdout: [],
      stderr: [expect.stringMatching(/^ENOENT: /)],
    });
    expect((await client.documents.list()).data).toEqual([]);

    await writeFile(letter, 'Dear Ada');
    const [id = ''] = (await upload(letter)).stdout;
    const download = await run('examples/large-file/download.ts', [id, folder], env);
    expect(download).toEqual({ code: 1, stdout: [], stderr: [`${letter} exists`] });
    expect(await readdir(folder)).toEqual(['letter.txt']);
  });
}, 120_000);

test('large-file refuses to continue with a file that has changed until its checkpoint is deleted', async () => {
  await withAccount(async ({ env, client }, folder) => {
    const film = join(folder, 'film.mp4');
    const checkpoint = `${film}.upload.json`;
    await writeFile(film, randomBytes(9 * 1024 * 1024));
    const first = spawnExample('examples/large-file/upload.ts', [film], env);
    await vi.waitUntil(
      () =>
        access(checkpoint).then(
          () => true,
          () => false,
        ),
      { timeout: 30_000 },
    );
    first.kill('SIGKILL');
    await once(first, 'close');

    await writeFile(film, randomBytes(9 * 1024 * 1024));
    const changed = await run('examples/large-file/upload.ts', [film], env);
    expect(changed).toEqual({
      code: 1,
      stdout: [],
      stderr: [
        'The source has changed since the upload began',
        `Restore the file, or delete ${checkpoint} to upload it anew.`,
      ],
    });
    await rm(checkpoint);
    expect((await client.documents.list()).data).toEqual([]);
    expect(await run('examples/large-file/upload.ts', [film], env)).toMatchObject({ code: 0 });
  });
}, 120_000);
