import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../src/config/config.ts';
import { newMasterKey } from './support/master-keys.ts';
import { newDocument, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

// The files of docs/deployment.md, checked as far as programs on this machine allow.

const page = await readFile(new URL('../docs/deployment.md', import.meta.url), 'utf8');

/** The text of each file, by its path in the first comment of the block. */
const files = new Map(
  [...page.matchAll(/^```(?:ini|nginx|dockerfile)\n# (\S+)\n(.*?)^```$/gms)].map(
    ([, path = '', text = '']) => [path, text],
  ),
);

function fileOf(path: string): string {
  const text = files.get(path);
  if (text === undefined) throw new Error(`the page has no file ${path}`);
  return text;
}

async function folderForTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['-v']).error === undefined;
}

test('the page has every file of a deployment', () => {
  expect([...files.keys()].map((path) => basename(path))).toEqual([
    'environment',
    'document-vault.service',
    'document-vault.conf',
    'Dockerfile',
    'document-vault-backup.service',
    'document-vault-backup.timer',
  ]);
});

test('the settings are a valid configuration in production mode', async () => {
  const keyFile = join(await folderForTest(), 'master.key');
  await writeFile(keyFile, newMasterKey().text);
  const lines = fileOf('/etc/document-vault/environment').trim().split('\n');
  const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const config = loadConfig({
    argv: [],
    env: { ...env, DOCUMENT_VAULT_MASTER_KEY_FILE: keyFile },
  });
  expect(config).toMatchObject({
    mode: 'production',
    host: '127.0.0.1',
    registration: 'closed',
    baseUrl: 'https://vault.example.com',
    data: '/var/lib/document-vault',
  });
});

test('the Dockerfile has valid variables and a command without a shell', () => {
  const text = fileOf('Dockerfile');
  const variables = /^ENV (.+)$/m.exec(text)?.[1]?.split(' ') ?? [];
  const env = Object.fromEntries(variables.map((variable) => variable.split('=')));
  expect(loadConfig({ argv: [], env })).toMatchObject({ mode: 'production', data: '/data' });
  expect(text).toMatch(/^ENTRYPOINT \["document-vault"\]\nCMD \["start"\]$/m);
});

test('the health check of the Dockerfile exits with 0 while the server is ready, otherwise with 1', async () => {
  const [, list = ''] = /^HEALTHCHECK CMD (.+)$/m.exec(fileOf('Dockerfile')) ?? [];
  const [, ...argv]: string[] = JSON.parse(list);
  const server = await startTestServer();
  const check = async () => {
    const here = argv.map((part) => part.replace('http://127.0.0.1:4000', server.url));
    const [code] = await once(spawn(process.execPath, here), 'exit');
    return code;
  };
  expect(await check()).toBe(0);
  await server.close();
  expect(await check()).toBe(1);
});

const units = [...files].filter(([path]) => /\.(service|timer)$/.test(path));

test.skipIf(!isInstalled('systemd-analyze'))(
  'systemd-analyze finds no mistake in the units',
  async () => {
    const folder = await folderForTest();
    // The command and the account are not installed here.
    for (const [path, text] of units) {
      const here = text
        .replaceAll('/usr/local/bin/document-vault', process.execPath)
        .replaceAll('User=document-vault', 'User=root');
      await writeFile(join(folder, basename(path)), here);
    }
    const paths = units.map(([path]) => join(folder, basename(path)));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
      encoding: 'utf8',
    });
    expect(stderr.split('\n').filter((line) => line.includes('document-vault'))).toEqual([]);
    expect(status).toBe(0);
  },
);

const hasNginx = isInstalled('nginx') && isInstalled('openssl');

/** Writes the configuration of nginx with a certificate, and with other places in it replaced. */
async function nginxConfiguration(replaced: Readonly<Record<string, string>> = {}) {
  const folder = await folderForTest();
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-subj', '/CN=vault.example.com', '-keyout', key, '-out', certificate],
  ]);
  const site = Object.entries(replaced).reduce(
    (text, [from, to]) => text.replace(from, to),
    fileOf('/etc/nginx/conf.d/document-vault.conf')
      .replace(/\S+\/fullchain\.pem/, certificate)
      .replace(/\S+\/privkey\.pem/, key),
  );
  const file = join(folder, 'nginx.conf');
  const text = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${site} }`;
  await writeFile(file, text);
  return { folder, file, certificate: await readFile(certificate) };
}

test.skipIf(!hasNginx)('nginx accepts the configuration', async () => {
  const { folder, file } = await nginxConfiguration();
  const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', file], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).not.toMatch(/\[(warn|error|emerg)\]/);
});

/** Starts nginx in front of a server, and returns a function that sends requests through it. */
async function startNginx(url: string) {
  const port = await freePort();
  const { folder, file, certificate } = await nginxConfiguration({
    'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
    'server 127.0.0.1:4000;': `server ${new URL(url).host};`,
  });
  const nginx = spawn('nginx', ['-p', folder, '-c', file, '-g', 'daemon off; user root;'], {
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    nginx.kill();
    if (nginx.exitCode === null) await once(nginx, 'exit');
  });
  const send = async (path: string, { body, ...options }: RequestOptions & { body?: Buffer }) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, path, ca: certificate, servername: 'vault.example.com' },
      ...options,
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  };
  await vi.waitFor(() => send('/health/live', {}), 30_000);
  return send;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test.skipIf(!hasNginx)('contents and ranges pass nginx unchanged', async () => {
  const server = await startTestServer();
  const vault = await newVault(server.developer);
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 31) % 251));
  const { contentUrl } = await newDocument(server.developer, vault.id, content);
  const send = await startNginx(server.url);
  const read = (headers: Readonly<Record<string, string>> = {}) =>
    send(contentUrl, { headers: { ...headers, 'x-api-key': server.apiKey } });

  const direct = await server.developer('GET', contentUrl);
  const whole = await read({ 'accept-encoding': 'gzip, br' });
  expect(whole.status).toBe(200);
  expect(whole.body.equals(content)).toBe(true);
  for (const name of ['etag', 'repr-digest', 'accept-ranges', 'content-length', 'cache-control']) {
    expect(whole.headers[name], name).toBe(direct.headers.get(name));
  }
  expect(whole.headers['content-encoding']).toBeUndefined();

  const etag = String(whole.headers.etag);
  const part = await read({ range: 'bytes=1000000-2000000', 'if-range': etag });
  expect(part.status).toBe(206);
  expect(part.headers['content-range']).toBe('bytes 1000000-2000000/3000000');
  expect(part.body.equals(content.subarray(1_000_000, 2_000_001))).toBe(true);
  expect((await read({ range: 'bytes=0-1', 'if-range': '"another"' })).status).toBe(200);
  expect(await read({ 'if-none-match': etag })).toMatchObject({ status: 304 });
  const outside = await read({ range: 'bytes=3000000-' });
  expect(outside).toMatchObject({ status: 416, headers: { 'content-range': 'bytes */3000000' } });
});
