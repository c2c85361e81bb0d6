import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { DocumentVault } from '@document-vault/sdk';
import { startServer } from '@document-vault/server';
import { fixture, newWebhookSecret, signedRequest } from '@document-vault/webhook-verify/testing';
import { beforeAll, describe, expect, test, vi } from 'vitest';

const sources = resolve('examples/receivers');
const source = (name: string) => join(sources, name);

interface Language {
  readonly name: string;
  readonly file: string;
  /** Commands that must be installed. The arguments print their version. */
  readonly needs: readonly (readonly string[])[];
  /** Compiles the receiver into a folder. */
  readonly compile?: (folder: string) => readonly string[];
  readonly run: (folder: string, port: string) => readonly string[];
}

const languages: readonly Language[] = [
  {
    name: 'Python',
    file: 'receiver.py',
    needs: [['python3', '--version']],
    run: () => ['python3', source('receiver.py')],
  },
  {
    name: 'Go',
    file: 'receiver.go',
    needs: [['go', 'version']],
    compile: (folder) => ['go', 'build', '-o', join(folder, 'receiver'), source('receiver.go')],
    run: (folder) => [join(folder, 'receiver')],
  },
  {
    name: 'PHP',
    file: 'receiver.php',
    needs: [['php', '--version']],
    run: (_, port) => ['php', '-S', `127.0.0.1:${port}`, source('receiver.php')],
  },
  {
    name: 'Ruby',
    file: 'receiver.rb',
    needs: [['ruby', '-rwebrick', '--version']],
    run: () => ['ruby', source('receiver.rb')],
  },
  {
    name: 'Java',
    file: 'Receiver.java',
    needs: [['javac', '-version']],
    compile: (folder) => ['javac', '-d', folder, source('Receiver.java')],
    run: (folder) => ['java', '-cp', folder, 'Receiver'],
  },
  {
    name: 'C#',
    file: 'Receiver.cs',
    needs: [
      ['mcs', '--version'],
      ['mono', '--version'],
    ],
    compile: (folder) => ['mcs', `-out:${join(folder, 'Receiver.exe')}`, source('Receiver.cs')],
    run: (folder) => ['mono', join(folder, 'Receiver.exe')],
  },
];

/** Returns the command that is not installed, if there is one. */
function missing({ needs }: Language): string | undefined {
  return needs.find(([command = '', ...args]) => {
    try {
      execFileSync(command, args, { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  })?.[0];
}

const secrets = {
  generated: newWebhookSecret(),
  'with ü and 🔑': 'Geheimnisse hüten, mit 🔑 und Schloss 0123',
  'in hexadecimal': '0123456789abcdef'.repeat(4),
} as const;
type SecretName = keyof typeof secrets;
const secretNames = Object.keys(secrets) as SecretName[];

interface Delivery {
  readonly headers: Record<string, string>;
  readonly body: Buffer<ArrayBuffer>;
}

/** A delivery of the server for each secret: a vault with an emoji in its name. */
const deliveries = new Map<SecretName, Delivery>();
let folder: string;
let client: DocumentVault;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'document-vault-receivers-'));
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
  const capture = createServer(async (request, response) => {
    deliveries.set(secretNames[Number(request.url?.slice(1))] ?? 'generated', await read(request));
    response.end();
  });
  capture.listen(0, '127.0.0.1');
  await once(capture, 'listening');
  client = new DocumentVault({ baseUrl: server.url, apiKey: server.account?.apiKey ?? '' });
  for (const [index, name] of secretNames.entries()) {
    const url = `http://127.0.0.1:${(capture.address() as AddressInfo).port}/${index}`;
    await client.webhooks.create({ url, events: ['vault.created'], secret: secrets[name] });
  }
  return async () => {
    await server.close();
    capture.close();
    capture.closeAllConnections();
    await rm(folder, { recursive: true });
  };
});

/** Captures the deliveries anew: a receiver refuses them after 5 minutes. */
async function captureDeliveries(): Promise<void> {
  deliveries.clear();
  await client.vaults.create({ name: 'Belege 📄' });
  await vi.waitUntil(() => deliveries.size === secretNames.length, { timeout: 30_000 });
}

async function read(request: IncomingMessage): Promise<Delivery> {
  const { connection: _, host: _host, 'content-length': _length, ...headers } = request.headers;
  const body = Buffer.from(await buffer(request));
  return { headers: headers as Record<string, string>, body };
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `${port}`;
}

interface Receiver {
  /** Resolves to the status of the response. */
  send(delivery: Partial<Delivery>): Promise<number>;
  printed(): string;
  stop(): void;
}

async function startReceiver({ run }: Language, secret: string): Promise<Receiver> {
  const port = await freePort();
  const [command = '', ...args] = run(folder, port);
  // The receiver in PHP stores in the folder which events it has handled.
  const store = await mkdtemp(join(folder, 'handled-'));
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: port, TMPDIR: store };
  const child: ChildProcess = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout?.on('data', (text) => {
    printed += text;
  });
  // A full pipe would stop the process.
  child.stderr?.resume();
  const send = async ({ headers = {}, body = Buffer.from('{}') }: Partial<Delivery>) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
  await vi.waitUntil(() => send({}).catch(() => false), { timeout: 30_000 });
  return { send, printed: () => printed, stop: () => child.kill('SIGKILL') };
}

async function signed(secret: string, secondsAgo: number): Promise<Delivery> {
  const sentAt = new Date(Date.now() - 1000 * secondsAgo);
  const event = { ...fixture('vault.created'), id: `evt_${crypto.randomUUID()}` };
  const { headers, body } = await signedRequest(event, secret, { sentAt });
  return { headers, body: Buffer.from(body) };
}

/** Signs any id and body with the headers of Standard Webhooks. */
function signedAs(secret: string, id: string, text: string): Delivery {
  const timestamp = `${Math.floor(Date.now() / 1000)}`;
  const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.${text}`).digest('base64');
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${digest}`,
  };
  return { headers, body: Buffer.from(text) };
}

/**
 * Cuts a delivery at the time in the name of its vault. The HMAC of `X-Service-Signature` is then that of
 * `webhook-id`, `webhook-timestamp` and the rest of the body.
 */
async function cutDelivery(secret: string): Promise<Delivery> {
  const now = `${Math.floor(Date.now() / 1000)}`;
  const event = fixture('vault.created');
  event.data.object.name = `x.${now}.y`;
  const { headers, body } = await signedRequest(event, secret);
  const [id = '', rest = ''] = body.split(`.${now}.`);
  const digits = headers['X-Service-Signature']?.replace('hmac_sha256=', '') ?? '';
  const cut = {
    'webhook-id': id,
    'webhook-timestamp': now,
    'webhook-signature': `v1,${Buffer.from(digits, 'hex').toString('base64')}`,
  };
  const digest = createHmac('sha256', secret).update(`${id}.${now}.${rest}`).digest('hex');
  expect(digest).toBe(digits);
  return { headers: cut, body: Buffer.from(rest) };
}

describe.each(languages)('the receiver in $name', (language) => {
  const absent = missing(language);
  const reason = absent === undefined ? '' : ` (skipped: ${absent} is not installed)`;

  test('has at most 34 lines', async () => {
    const lines = (await readFile(source(language.file), 'utf8')).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(34);
  });

  test('is in the guide as it is', async () => {
    const guide = await readFile('packages/webhook-verify/docs/languages.md', 'utf8');
    expect(guide).toContain(`\n${await readFile(source(language.file), 'utf8')}\`\`\`\n`);
  });

  describe.skipIf(absent !== undefined)(`with a secret${reason}`, () => {
    beforeAll(async () => {
      const [command = '', ...args] = language.compile?.(folder) ?? [];
      // Go has its cache in the home folder, which a test may not have.
      const env = { ...process.env, GOCACHE: join(folder, 'go'), GOFLAGS: '-buildvcs=false' };
      if (command) await promisify(execFile)(command, args, { env, cwd: folder });
      await captureDeliveries();
    }, 180_000);

    test.each(secretNames)(
      '%s handles a delivery once, and responds with 401 to others',
      async (name) => {
        const secret = secrets[name];
        const receiver = await startReceiver(language, secret);
        try {
          const delivery = deliveries.get(name) ?? expect.fail();
          const { headers, body } = delivery;
          expect(await receiver.send(delivery), 'a delivery of the server').toBe(200);
          expect(await receiver.send(delivery), 'the same once more').toBe(200);
          const tampered = Buffer.from(body.toString().replace('Belege', 'Belage'));
          expect(await receiver.send({ headers, body: tampered }), 'a changed body').toBe(401);
          expect(await receiver.send(await signed(`${secret}x`, 0)), 'another secret').toBe(401);
          expect(await receiver.send(await signed(secret, 400)), '400 s old').toBe(401);
          expect(await receiver.send(await signed(secret, -400)), '400 s ahead').toBe(401);
          expect(await receiver.send({ body }), 'no headers').toBe(401);
          expect(await receiver.send(await cutDelivery(secret)), 'cut in two').toBe(401);
          const text = body.toString();
          for (const [id, content] of [
            ['evt_other', text],
            ['evt_other', `[${text}]`],
            ['evt_other', 'null'],
            ['evt_other', 'no JSON'],
          ] as const) {
            expect(await receiver.send(signedAs(secret, id, content)), content).toBe(401);
          }
          const { id: largeId, ...others } = { ...JSON.parse(text), id: 'evt_large' };
          const large = JSON.stringify({ id: largeId, ...others, note: 'x'.repeat(2 ** 20) });
          // A receiver may close the connection before the body has arrived.
          const refused = receiver.send(signedAs(secret, largeId, large)).catch(() => 401);
          expect(await refused, 'above 1 MiB').toBe(401);
          const fresh = await signed(secret, 1);
          const list = `v1,${'A'.repeat(43)}= v1a,abc ${fresh.headers['webhook-signature']}`;
          const listed = { ...fresh.headers, 'webhook-signature': list };
          expect(await receiver.send({ ...fresh, headers: listed }), 'a list').toBe(200);
          for (const [header, junk] of [
            ['webhook-signature', 'v1,'],
            ['webhook-signature', 'v1,=== \u00ff'],
            ['webhook-timestamp', 'now'],
            ['webhook-timestamp', '99999999999999999999999999'],
            ['webhook-id', ''],
          ] as const) {
            const changed = { ...headers, [header]: junk };
            expect(await receiver.send({ headers: changed, body }), `${header}: ${junk}`).toBe(401);
          }
          await vi.waitUntil(() => receiver.printed().split('vault.created').length === 3);
        } finally {
          receiver.stop();
        }
      },
    );
  });
});
