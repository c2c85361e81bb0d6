import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { version } from '../src/lib/version.ts';
import { databaseFile } from '../src/store/sqlite/driver.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { startReceiver } from './support/delivery/receiver.ts';
import { startTestServer } from './support/server.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** The data folder, and the file descriptor of the log (default: that of the test). */
type Target = string | { readonly data: string; readonly stderr?: number };

/** Starts a server in a process of its own, without waiting for it. */
function spawnProcess(target: Target, ...flags: string[]) {
  const { data, stderr } = typeof target === 'string' ? { data: target } : target;
  const args = ['--conditions=@document-vault/source', main];
  const given = ['--port', '0', '--data', data, '--log-level', 'error', ...flags];
  const child: ChildProcess = spawn(process.execPath, [...args, ...given], {
    stdio: ['ignore', 'pipe', stderr ?? 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, ended: once(child, 'exit') };
}

/** Starts a server in a process of its own and waits until it serves. */
async function spawnServer(target: Target, ...flags: string[]) {
  const { child, ended } = spawnProcess(target, ...flags);
  let banner = '';
  for await (const line of createInterface({ input: child.stdout ?? expect.fail() })) {
    banner += `${line}\n`;
    if (line.includes('API key')) break;
  }
  const [, url = ''] = /listening on (\S+)/.exec(banner) ?? [];
  const [, apiKey = ''] = /(service_sk_\w+)/.exec(banner) ?? [];
  return { child, url, apiKey, ended };
}

/** Sends the head of a request. `finish` sends the body and returns the response. */
async function beginRequest(url: string, apiKey: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  const body = JSON.stringify({ name: 'Begun before the end' });
  const reply = text(socket);
  socket.write(
    `POST /api/v1/vaults HTTP/1.1\r\nHost: vault.example\r\nX-Api-Key: ${apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      'Expect: 100-continue\r\n\r\n',
  );
  // The server asks for the body once it processes the request.
  await once(socket, 'readable');
  return {
    reply,
    finish() {
      socket.write(body);
      return reply;
    },
  };
}

const isRefused = (url: string) =>
  fetch(url).then(
    () => false,
    () => true,
  );

describe('SIGTERM, SIGINT and SIGHUP', () => {
  test('the process completes running requests, rejects connections, checkpoints and exits with 0', async () => {
    const data = await dataFolder();
    const { child, url, apiKey, ended } = await spawnServer(data);
    const request = await beginRequest(url, apiKey);
    child.kill('SIGTERM');
    while (!(await isRefused(`${url}/health/live`)));
    const reply = await request.finish();
    expect(reply).toMatch(/HTTP\/1\.1 201 Created\r\n/);
    expect(reply).toMatch(/^Connection: close\r$/im);
    expect(await ended).toEqual([0, null]);

    expect(
      existsSync(join(data, `${databaseFile}-wal`)),
      'the write-ahead log is checkpointed',
    ).toBe(false);
    const names = inDatabase(data, (database) =>
      database.prepare('SELECT name FROM vaults').pluck().all(),
    );
    expect(names).toEqual(['Begun before the end']);
  });

  test('SIGHUP, which a closing terminal sends, checkpoints and exits with 0', async () => {
    const data = await dataFolder();
    const { child, ended } = await spawnServer(data);
    child.kill('SIGHUP');
    expect(await ended).toEqual([0, null]);
    expect(existsSync(join(data, `${databaseFile}-wal`))).toBe(false);
  });

  test('interrupted deliveries remain pending and due', async () => {
    const data = await dataFolder();
    const receiver = await startReceiver(() => undefined);
    onTestFinished(() => receiver.close());
    const { child, url, apiKey, ended } = await spawnServer(data, '--shutdown-timeout', '50ms');
    const post = (path: string, body: object) =>
      fetch(url + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      });
    const webhook = { url: receiver.url, events: ['vault.created'], secret: 'x'.repeat(32) };
    expect((await post('/api/v1/webhooks', webhook)).status).toBe(201);
    await post('/api/v1/vaults', { name: 'Announced' });
    await receiver.received(1);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const rows = inDatabase(data, (database) =>
      database
        .prepare(
          'SELECT status, next_attempt_at <= created_at AS due, attempt_number FROM deliveries',
        )
        .all(),
    );
    expect(rows).toEqual([{ status: 'pending', due: 1, attempt_number: 0 }]);
  });

  test('the process exits after --shutdown-timeout, also with a running request', async () => {
    const { child, url, apiKey, ended } = await spawnServer(
      await dataFolder(),
      '--shutdown-timeout',
      '100ms',
    );
    const { reply } = await beginRequest(url, apiKey);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await reply.catch(() => 'reset')).not.toContain('HTTP/1.1 201');
  });

  test('a signal during the start is handled after the start', async () => {
    const data = await dataFolder();
    const { child, ended } = spawnProcess(data);
    while (!existsSync(join(data, databaseFile))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(existsSync(join(data, `${databaseFile}-wal`))).toBe(false);
  });

  test('a second signal ends the process at once with 130', async () => {
    const { child, url, apiKey, ended } = await spawnServer(await dataFolder());
    await beginRequest(url, apiKey);
    child.kill('SIGINT');
    while (!(await isRefused(`${url}/health/live`)));
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  });
});

describe('a log that cannot be written', () => {
  // A file whose every write fails with ENOSPC. Linux has it.
  const fullDisk = '/dev/full';

  test.skipIf(!existsSync(fullDisk))(
    'the server responds to requests, and exits with 0 after SIGTERM',
    async () => {
      const log = openSync(fullDisk, 'w');
      onTestFinished(() => closeSync(log));
      const { child, url, apiKey, ended } = await spawnServer(
        { data: await dataFolder(), stderr: log },
        '--log-level',
        'info',
      );
      for (let index = 0; index < 3; index += 1) {
        const response = await fetch(`${url}/api/v1/vaults`, { headers: { 'x-api-key': apiKey } });
        expect(response.status).toBe(200);
      }
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    },
  );
});

describe('start and close of a server', () => {
  test('are logged with the address that it listens on', async () => {
    const lines: object[] = [];
    const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
    const server = await startTestServer({ log, baseUrl: 'https://vault.example.com' });
    expect(server.url).toBe('https://vault.example.com');
    expect(server.localUrl).toMatch(/^http:\/\/localhost:\d+$/);
    expect((await fetch(`${server.localUrl}/health/live`)).status).toBe(200);
    await server.close();
    const { url, localUrl } = server;
    expect(lines).toMatchObject([
      { msg: 'the server is listening', url, localUrl, mode: 'development', version },
      { msg: 'the server is stopping' },
      { msg: 'the server has stopped' },
    ]);
  });

  test('readiness returns 503, and connections end after their responses', async () => {
    const server = await startTestServer({ shutdownTimeout: 600_000 });
    const port = Number(new URL(server.url).port);
    // A connection with an incomplete request is not idle: the server still responds on it.
    const probe = connect(port, '127.0.0.1');
    const reply = text(probe);
    probe.write('GET /health/ready HTTP/1.1\r\nHost: vault.example\r\n');
    const request = await beginRequest(server.url, server.apiKey);
    const closed = server.close();
    probe.write('\r\n');
    expect(await reply).toMatch(/^HTTP\/1\.1 503 /);
    expect(await reply).toMatch(/^Connection: close\r$/im);
    expect(await reply).toContain('"problems":["shutting down"]');
    expect(await request.finish()).toContain('HTTP/1.1 201');
    await closed;
  });
});
