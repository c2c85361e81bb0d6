import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../src/config/config.ts';
import { newMasterKey } from './support/master-keys.ts';
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

test.skipIf(!isInstalled('nginx') || !isInstalled('openssl'))(
  'nginx accepts the configuration',
  async () => {
    const folder = await folderForTest();
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-subj', '/CN=vault.example.com', '-keyout', key, '-out', certificate],
    ]);
    const site = fileOf('/etc/nginx/conf.d/document-vault.conf')
      .replace(/\S+\/fullchain\.pem/, certificate)
      .replace(/\S+\/privkey\.pem/, key);
    const file = join(folder, 'nginx.conf');
    const text = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${site} }`;
    await writeFile(file, text);
    const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', file], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stderr).not.toMatch(/\[(warn|error|emerg)\]/);
  },
);
