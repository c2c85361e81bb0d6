import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type RunningServer, startServer } from '@document-vault/server';
import type { DocumentUploadedEvent } from '@document-vault/webhook-verify';
import { signedRequest } from '@document-vault/webhook-verify/testing';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, programsOf, readmes } from './readme/blocks.ts';
import type { Outcome } from './readme/run-programs.ts';

/** Folder for the code of the READMEs. It is in the repository, so that imports of the packages resolve. */
const folder = resolve('.readme-code');
const processes: ChildProcess[] = [];

/** Starts a module with Node. Its standard output is piped. */
function run(file: string, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, ['--conditions=@document-vault/source', file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  processes.push(child);
  return child;
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const chunk of child.stdout ?? []) output += chunk;
  if (child.exitCode === null) await once(child, 'exit');
  expect(child.exitCode).toBe(0);
  return output.trim();
}

/** Returns an example event of the contract. */
async function exampleEvent(type: 'document.uploaded'): Promise<DocumentUploadedEvent> {
  const { webhooks } = JSON.parse(await readFile('openapi/v1.json', 'utf8'));
  return webhooks[type].post.requestBody.content['application/json'].example;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  for (const readme of await readmes()) {
    for (const { name, code } of await programsOf(readme))
      await writeFile(join(folder, name), code);
  }
  // The large document of the programs: it is sent in parts.
  await writeFile(join(folder, 'film.mp4'), randomBytes(9 * 1024 * 1024));
});

afterAll(async () => {
  for (const child of processes) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

test('the code of every README is correct TypeScript', async () => {
  const files = await Array.fromAsync(glob(join(folder, '*.ts')));
  expect(files.length).toBeGreaterThanOrEqual(6);
  const { config } = ts.readConfigFile('examples/tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, 'examples');
  // An example may declare a variable without using it.
  const program = ts.createProgram(files, { ...options, noUnusedLocals: false });
  const problems = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    const text = ts.flattenDiagnosticMessageText(messageText, '\n');
    return `${file ? basename(file.fileName) : ''}:${line} ${text}`;
  });
  expect(problems).toEqual([]);
}, 180_000);

test('every npm script that a README names exists', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
  for (const readme of [...(await readmes()), 'CONTRIBUTING.md']) {
    const text = await readFile(readme, 'utf8');
    for (const [, name = ''] of text.matchAll(/\bnpm run ([a-z:]+)/g)) {
      expect(Object.keys(scripts), `${readme} names npm run ${name}`).toContain(name);
    }
  }
});

/** Runs programs in one process. Their standard output is ignored. */
async function outcomesOf(files: readonly string[]): Promise<Outcome[]> {
  const child = fork(resolve('test/programs/readme/run-programs.ts'), files, {
    cwd: folder,
    execArgv: ['--conditions=@document-vault/source', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  processes.push(child);
  const outcomes: Outcome[] = [];
  child.on('message', (outcome: Outcome) => outcomes.push(outcome));
  await once(child, 'exit');
  return outcomes;
}

test('every TypeScript program of every README runs, and its receivers respond 200', async () => {
  const programs = (await Promise.all((await readmes()).map(programsOf))).flat();
  const outcomes = await outcomesOf(programs.map(({ name }) => join(folder, name)));
  const failures = outcomes.flatMap(({ error, file }) => (error ? [`${file}: ${error}`] : []));
  expect(failures).toEqual([]);
  expect(outcomes.map(({ file }) => basename(file))).toEqual(programs.map(({ name }) => name));
  const receivers = outcomes.filter((_, index) => programs[index]?.code.includes('Receiver('));
  const statuses = receivers.flatMap((outcome) => outcome.statuses);
  // The main README has one, that of the verifier one for each framework.
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
}, 300_000);

test.each(await readmes())(
  'the commands of %s run in their order',
  async (page) => {
    const blocks = await blocksOf(page, 'sh');
    if (blocks.length === 0) return;
    const home = await mkdtemp(join(tmpdir(), 'readme-'));
    const server = await startServer({ port: 0, data: ':memory:', logLevel: 'silent' });
    // The data of a server on this machine is not touched, and no earlier run is found.
    const commands = blocks.join('\n').replaceAll('/var/lib/', `${home}/`);
    const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: home,
      env: {
        PATH: `${resolve('test/programs/readme/commands')}:${process.env.PATH}`,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        URL: server.url,
        KEY: server.apiKey,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    processes.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    await once(child, 'close');
    await server.close();
    await rm(home, { recursive: true });
    expect(child.exitCode, output).toBe(0);
  },
  300_000,
);

/** Returns the file with the program of a README that contains the marker. */
async function moduleFile(marker: string, readme = 'README.md'): Promise<string> {
  const found = (await programsOf(readme)).find(({ code }) => code.includes(marker));
  if (!found) throw new Error(`${readme} has no code with ${marker}`);
  return join(folder, found.name);
}

describe('the code of the main README', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
  });
  afterAll(() => server.close());

  test('the client program creates a keyring, and unlocks it when it runs again', async () => {
    const file = await moduleFile('new DocumentVault');
    const env = { VAULT_URL: server.url, VAULT_API_KEY: server.account?.apiKey ?? '' };
    const lines = (await outputOf(run(file, env))).split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^Keep this: ([0-9A-Z]{4}-){8}[0-9A-Z]{4}$/),
      'return.txt Total due: 42.00',
    ]);
    expect(await outputOf(run(file, env))).toBe('return.txt Total due: 42.00');
  });

  test('the receiver program stores a signed event and responds 401 to a forged one', async () => {
    const secret = 'readme-secret-0123456789abcdefghijkl';
    const port = String(await freePort());
    const child = run(await moduleFile('createVerifier'), { WEBHOOK_SECRET: secret, PORT: port });
    const printed = once(child.stdout ?? child, 'data');
    const example = await exampleEvent('document.uploaded');
    const event = { ...example, timestamp: new Date().toISOString() };
    const { body, headers } = await signedRequest(event, secret);
    const url = `http://127.0.0.1:${port}/`;
    const deliver = async (): Promise<number> => {
      try {
        return (await fetch(url, { method: 'POST', body, headers })).status;
      } catch {
        // Not listening yet.
        await new Promise((resolve) => setImmediate(resolve));
        return deliver();
      }
    };
    expect(await deliver()).toBe(200);
    expect(String(await printed)).toBe(`stored: ${event.data.object.fileName}\n`);
    const forged = { ...headers, 'webhook-signature': `v1,${'0'.repeat(43)}=` };
    expect((await fetch(url, { method: 'POST', body, headers: forged })).status).toBe(401);
  });

  test('the server program starts a server and prints a 200 response', async () => {
    expect(await outputOf(run(await moduleFile('startServer'), {}))).toMatch(/^200 \d+$/);
  });
});

test('the code of docs/graphql.md of the SDK runs', async () => {
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
  try {
    const file = await moduleFile('createGraphql(client)', 'packages/sdk/docs/graphql.md');
    const env = { VAULT_URL: server.url, VAULT_API_KEY: server.account?.apiKey ?? '' };
    expect((await outputOf(run(file, env))).split('\n')).toEqual([
      'health Developer 1 50000',
      'Health',
      "[ { name: 'Health', documents: { data: [] } } ]",
      "NotFoundError NOT_FOUND [ 'vault' ] 1",
      "{ name: 'Developer' }",
      "{ name: 'Developer' }",
    ]);
  } finally {
    await server.close();
  }
});

test('the code of docs/encryption.md of the SDK runs', async () => {
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
  try {
    const file = await moduleFile('client.keyring.create', 'packages/sdk/docs/encryption.md');
    const env = { VAULT_URL: server.url, VAULT_API_KEY: server.account?.apiKey ?? '' };
    const printed = await outputOf(run(file, env));
    for (const line of ['note.txt 6', 'note.txt application/octet-stream 6', 'tax-return.txt']) {
      expect(printed.split('\n')).toContain(line);
    }
  } finally {
    await server.close();
  }
});

test('the quickstart of the SDK runs with the API key of a development server', async () => {
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
  try {
    const file = await moduleFile('of VAULT_URL and VAULT_API_KEY', 'packages/sdk/README.md');
    const env = { VAULT_URL: server.url, VAULT_API_KEY: server.account?.apiKey ?? '' };
    expect((await outputOf(run(file, env))).split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^Keep this: ([0-9A-Z]{4}-){8}[0-9A-Z]{4}$/),
      'tax-return.txt Tax return 2026',
    ]);
  } finally {
    await server.close();
  }
});

test('the code in the README of the test kit runs', async () => {
  const file = await moduleFile('createTestVault', 'packages/testing/README.md');
  expect((await outputOf(run(file, {}))).split('\n')).toEqual([
    'return.txt',
    'wait 90000 ms',
    expect.stringMatching(
      /^login .*updateKeyring .*createDocument listDocuments createVault refresh createVault listVaults$/,
    ),
    "{ name: 'Health' }",
  ]);
});
