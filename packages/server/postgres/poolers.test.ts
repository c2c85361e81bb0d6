import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { dataFolder } from '../test/support/data-folder.ts';
import { createDatabase, migratedTemplate } from '../test/support/postgres/databases.ts';
import { freePorts } from '../test/support/postgres/fleet.ts';
import { newVault } from '../test/support/resources.ts';
import { startTestServer } from '../test/support/server.ts';

/** Starts pgbouncer, with its defaults, in front of a new database. Returns the URL that names it. */
async function startPooler(mode: 'session' | 'transaction'): Promise<string> {
  const database = await createDatabase(migratedTemplate);
  onTestFinished(database.drop);
  const url = new URL(database.url);
  const [port] = await freePorts(1);
  const folder = await dataFolder();
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${url.hostname} port=${url.port} user=${url.username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'default_pool_size = 30',
    `pool_mode = ${mode}`,
  ];
  await writeFile(file, lines.join('\n'));
  // pgbouncer refuses to run as root.
  await chmod(folder, 0o755);
  const user = process.getuid?.() === 0 ? ['-u', 'daemon'] : [];
  const pooler = spawn('pgbouncer', [...user, file], { stdio: 'ignore' });
  onTestFinished(async () => {
    pooler.kill('SIGKILL');
    if (pooler.exitCode === null && pooler.signalCode === null) await once(pooler, 'exit');
  });
  while (!(await accepts(Number(port)))) await pause(20);
  url.port = String(port);
  return url.href;
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

test('a server behind pgbouncer in session mode stores and reads', async () => {
  const server = await startTestServer({ databaseUrl: await startPooler('session') });
  const { id } = await newVault(server.developer);
  expect(await server.developer('GET', `/api/v1/vaults/${id}`)).toMatchObject({ status: 200 });
});

test('a start behind pgbouncer in transaction mode is refused with the reason and the way out', async () => {
  const starting = startTestServer({ databaseUrl: await startPooler('transaction') });
  await expect(starting).rejects.toThrow(
    'The URL names a pooler that shares the sessions of PostgreSQL among its clients. Set its pool mode to session, or name PostgreSQL itself.',
  );
});
