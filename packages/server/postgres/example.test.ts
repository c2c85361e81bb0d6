import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { mainFile } from '../test/support/command-line.ts';
import { dataFolder } from '../test/support/data-folder.ts';
import { createDatabase, emptyTemplate } from '../test/support/postgres/databases.ts';
import { freePorts, insist, signUp, unlimited } from '../test/support/postgres/fleet.ts';

const script = fileURLToPath(new URL('../../../examples/four-processes/start.sh', import.meta.url));

const isInstalled = spawnSync('haproxy', ['-v']).status === 0;

/** Returns a folder with the command `document-vault`, which runs the sources. */
async function commandFolder(): Promise<string> {
  const folder = await dataFolder();
  const content = `#!/bin/sh\nexec '${process.execPath}' --conditions=@document-vault/source '${mainFile}' "$@"\n`;
  await writeFile(join(folder, 'document-vault'), content, { mode: 0o755 });
  return folder;
}

test('the example with four processes serves requests through HAProxy, and ends with its script', async ({
  skip,
}) => {
  skip(!isInstalled, 'HAProxy is not installed. On Debian: apt-get install --yes haproxy');
  const database = await createDatabase(emptyTemplate);
  onTestFinished(() => database.drop());
  const [port = 0, ...ports] = await freePorts(5);
  const others = Object.fromEntries(ports.map((each, index) => [`PORT_${index + 1}`, `${each}`]));
  const child = spawn('bash', [script], {
    env: {
      ...{ ...process.env, ...unlimited, ...others, PORT: `${port}` },
      PATH: `${await commandFolder()}:${process.env.PATH}`,
      DOCUMENT_VAULT_DATABASE_URL: database.url,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  for (const each of [...ports, port]) {
    await expect
      .poll(async () => (await insist(each, { path: '/health/ready' })).status, {
        timeout: 60_000,
      })
      .toBe(200);
  }
  const headers = await signUp(port, 'ada@example.com');
  const names = Array.from({ length: 20 }, (_, index) => `vault ${index}`);
  for (const name of names) {
    const call = { path: '/api/v1/vaults', method: 'POST', headers, body: { name } };
    expect((await insist(port, call)).status).toBe(201);
  }
  // Each process returns what was created at others.
  for (const each of ports) {
    const { body } = await insist(each, { path: '/api/v1/vaults', headers });
    expect(body.pagination.totalCount).toBe(names.length);
  }
  child.kill('SIGTERM');
  await ended;
  expect((await output).join('\n')).not.toContain('"level":50');
});
