import { spawnSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { send } from '../crash/http.ts';
import { createVault } from '../crash/operations.ts';
import { createRandom } from '../crash/random.ts';
import { type Access, startServerProcess } from '../crash/server-process.ts';
import { Disk, type Survival } from '../power/disk.ts';
import { createRecording } from '../power/recording.ts';
import { startServer } from '../src/index.ts';
import { databaseFileIn } from '../src/store/sqlite/driver.ts';
import { openSnapshot } from '../src/store/sqlite/snapshot.ts';
import { runProcess } from './support/command-line.ts';
import { dataFolder } from './support/data-folder.ts';

const canRecord = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

const random = createRandom(1);

const savesNothing: Survival = {
  keepsChange: () => false,
  keepsNames: () => false,
  tears: () => undefined,
};

/** Creates a recorded folder in which neither the data folder nor its parent exists. */
async function recordedFolder() {
  const folder = await dataFolder();
  const root = join(folder, 'disk');
  await mkdir(root);
  const recording = await createRecording(folder, root);
  const place = join('new', 'data');
  return { root, place, data: join(root, place), image: join(folder, 'image'), recording };
}

test.runIf(canRecord)(
  'a power loss after the first start loses neither the data folder nor its account',
  async () => {
    const { root, place, data, image, recording } = await recordedFolder();
    const server = startServerProcess(data, recording.env);
    const { apiKey } = await server.listening;
    const listeningAt = recording.position();
    await server.kill();

    const disk = new Disk({ root, delay: 0 });
    for (const entry of await recording.entries()) {
      if (entry.position <= listeningAt) disk.apply(entry);
    }
    await disk.writeImage(image, savesNothing, random);
    const again = await startServer({ port: 0, data: join(image, place), logLevel: 'fatal' });
    await again.close();
    expect(again.apiKey).toBe(apiKey);
  },
);

const changesNames = new Set(['create', 'unlink', 'rename', 'link', 'sync-folder']);

/** Numbers the combinations of name changes that survive: each bit of `choice` is one change. */
function survivalOf(choice: number): Survival {
  let rest = choice;
  return {
    ...savesNothing,
    keepsNames() {
      const keeps = rest % 2 === 1;
      rest = Math.floor(rest / 2);
      return keeps;
    },
  };
}

/** Returns the integrity problems of the database in a folder, and the number of its vaults. */
async function vaultsIn(data: string): Promise<unknown> {
  const snapshot = openSnapshot(databaseFileIn(data));
  try {
    const problems = await snapshot.integrity();
    const vaults = await snapshot.reader.all<{ name: string }>(
      '/* all rows */ SELECT name FROM vaults',
    );
    return [...problems, vaults.length];
  } finally {
    await snapshot.close();
  }
}

async function addVaults(access: Access, from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number += 1) {
    expect((await send(access, createVault(number))).status).toBe(201);
  }
}

test.runIf(canRecord)(
  'a power loss during a restore leaves the database before or after it, for every order of name changes',
  { timeout: 120_000 },
  async () => {
    const { root, place, data, image, recording } = await recordedFolder();
    // Beside the recorded disk, on which its names would multiply the orders.
    const backup = join(dirname(root), 'backup.db');
    const command = async (...argv: string[]) => {
      const outcome = await runProcess([...argv, '--data', data], { env: recording.env });
      expect(outcome).toMatchObject({ code: 0, err: '' });
    };
    const first = startServerProcess(data, recording.env);
    await addVaults(await first.listening, 1, 1);
    await command('backup', backup);
    await addVaults(await first.listening, 2, 60);
    await first.stop();
    // The write-ahead log of this server belongs only to the database before the restore.
    const second = startServerProcess(data, recording.env);
    await addVaults(await second.listening, 61, 61);
    await second.kill();
    const killedAt = recording.position();
    await command('restore', backup);

    const disk = new Disk({ root, delay: 0 });
    const seen = new Set<string>();
    for (const entry of await recording.entries()) {
      disk.apply(entry);
      if (entry.position <= killedAt || !changesNames.has(entry.kind)) continue;
      for (let choice = 0; choice < 2 ** disk.unsavedNames; choice += 1) {
        await disk.writeImage(image, survivalOf(choice), random);
        seen.add(JSON.stringify(await vaultsIn(join(image, place))));
        await rm(image, { recursive: true });
      }
    }
    expect([...seen].sort()).toEqual(['[1]', '[61]']);

    await disk.writeImage(image, savesNothing, random);
    expect(await vaultsIn(join(image, place))).toEqual([1]);
  },
);
