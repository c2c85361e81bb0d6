import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Conflict, conflictSettings, readConflicts } from './conflicts.ts';

const run = promisify(execFile);

/** Where Debian installs the programs of a version. */
const debianFolder = '/usr/lib/postgresql';

/** The programs of PostgreSQL are neither on the PATH nor where Debian installs them. */
export class PostgresMissingError extends Error {
  override readonly name = 'PostgresMissingError';
  override readonly message =
    'PostgreSQL 15 or newer is not installed. On Debian: apt-get install --yes postgresql';
}

/** The name of a user that needs a password. Tests create it. */
export const passwordUser = 'with_password';

export interface Cluster {
  /** URL of the database `postgres`, for its superuser. */
  readonly url: string;
  /** Stops the server at once, as a power loss would. */
  kill(): Promise<void>;
  /** Starts a stopped server again. */
  start(): Promise<void>;
  /** Returns the transactions that could not be serialized with others. */
  conflicts(): Promise<readonly Conflict[]>;
  /** Stops the server and deletes its data. */
  remove(): Promise<void>;
}

/**
 * Starts a PostgreSQL server of its own in a temporary folder, on a free port of this machine.
 *
 * @param options isSerializable: whether transactions run at SERIALIZABLE, and conflicts are logged. Default: no,
 * READ COMMITTED
 * @throws PostgresMissingError
 */
export async function startCluster({ isSerializable = false } = {}): Promise<Cluster> {
  const programs = await programFolder();
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-postgres-'));
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? await userOf('daemon') : undefined;
  if (user) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const call = (program: string, ...args: string[]) =>
    run(join(programs, program), args, { ...user, cwd: folder });
  await call(
    'initdb',
    '-D',
    data,
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--locale=C',
    '-A',
    'trust',
    '-N',
  );
  // The first line that matches decides. All other users need no password.
  const rules = join(data, 'pg_hba.conf');
  const others = await readFile(rules, 'utf8');
  await writeFile(rules, `host all ${passwordUser} 127.0.0.1/32 scram-sha-256\n${others}`);
  const port = await freePort();
  const settings = [
    `-p ${port}`,
    `-k ${folder}`,
    '-c listen_addresses=127.0.0.1',
    '-c max_connections=300',
    // Nothing of a test survives a power loss. Tests kill the server, not the machine.
    '-c fsync=off',
    '-c full_page_writes=off',
    ...(isSerializable ? conflictSettings : []),
  ].join(' ');
  const control = (...args: string[]) => call('pg_ctl', '-D', data, '-w', ...args);
  const start = async () => {
    await control('-l', join(folder, 'log'), '-o', settings, 'start');
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    kill: async () => {
      await control('-m', 'immediate', 'stop');
    },
    conflicts: () => readConflicts(join(folder, 'log')),
    async remove() {
      await control('-m', 'immediate', 'stop').catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a statement on a connection of its own. */
export async function query(
  cluster: Pick<Cluster, 'url'>,
  sql: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: cluster.url });
  client.on('error', () => undefined);
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** Returns the folder with the programs: on the PATH, or the newest of Debian. */
async function programFolder(): Promise<string> {
  const onPath = (process.env.PATH ?? '').split(delimiter).find((path) => isHome(path));
  if (onPath !== undefined) return onPath;
  const versions = existsSync(debianFolder) ? await readdir(debianFolder) : [];
  const newest = versions
    .map(Number)
    .sort((a, b) => b - a)
    .map((version) => join(debianFolder, String(version), 'bin'))
    .find(isHome);
  if (newest === undefined) throw new PostgresMissingError();
  return newest;
}

/** The clients alone are a package without these. */
function isHome(path: string): boolean {
  return existsSync(join(path, 'initdb')) && existsSync(join(path, 'pg_ctl'));
}

async function userOf(name: string): Promise<{ readonly uid: number; readonly gid: number }> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
