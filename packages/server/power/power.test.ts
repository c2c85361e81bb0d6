import { readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { chooseSeed, createRandom, type Random } from '../crash/random.ts';
import { report } from '../crash/report.ts';
import { verify } from '../src/store/maintenance/verification.ts';
import { openSnapshot } from '../src/store/sqlite/snapshot.ts';
import { dataFolder } from '../test/support/data-folder.ts';
import { chooseSurvival, Disk, everything } from './disk.ts';
import { Moment } from './history.ts';
import { expectNothingMissing } from './image.ts';
import type { Entry } from './recording.ts';
import { backup, place, type Run, recordLoad } from './runs.ts';

const powerLosses = 220;
/** Power losses of a disk that confirms a synchronisation and makes it this many entries later. */
const lies = { count: 20, delay: 200 };

interface PowerLosses {
  readonly root: string;
  readonly entries: readonly Entry[];
  /** Positions of the record, in any order. */
  readonly positions: readonly number[];
  readonly random: Random;
  /** See `Disk`. Default: 0. */
  readonly delay?: number;
}

interface PowerLoss {
  readonly position: number;
  /** What it left of the recorded root. */
  readonly image: string;
}

/** Cuts the power at each of these positions. Returns the problems that `look` found in what was left. */
async function cutPower(
  { root, entries, positions, random, delay = 0 }: PowerLosses,
  look: (loss: PowerLoss) => Promise<void>,
): Promise<object[]> {
  const disk = new Disk({ root, delay });
  const image = join(await dataFolder(), 'image');
  const waiting = [...positions].sort((a, b) => b - a);
  const problems: object[] = [];
  for (const entry of entries) {
    disk.apply(entry);
    const { position } = entry;
    while ((waiting.at(-1) ?? Infinity) <= position) {
      waiting.pop();
      await disk.writeImage(image, chooseSurvival(random), random);
      await look({ position, image }).catch((error: unknown) => {
        problems.push({ position, problem: String(error).slice(0, 1_000) });
      });
      await rm(image, { recursive: true });
    }
  }
  return problems;
}

/** Half of them at any entry, half at the moment at which a change was confirmed. */
function choosePositions(
  { histories, end }: Run,
  entries: readonly Entry[],
  { random, count }: { random: Random; count: number },
): number[] {
  const recorded = entries.filter(({ position }) => position <= end);
  const steps = histories.flatMap((history) => history.steps);
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? random.pick(recorded).position : random.pick(steps).confirmedAt,
  );
}

async function expectSoundBackup(file: string): Promise<void> {
  const snapshot = openSnapshot(file);
  try {
    await verify(snapshot, file);
  } finally {
    await snapshot.close();
  }
}

/** The record is complete: applied as a whole, it gives the files on the real disk. */
async function expectComplete({ root }: Run, entries: readonly Entry[]): Promise<void> {
  const disk = new Disk({ root, delay: 0 });
  for (const entry of entries) disk.apply(entry);
  const image = join(await dataFolder(), 'image');
  await disk.writeImage(image, everything, createRandom(1));
  const names = await filesOf(image);
  expect(names).toEqual(await filesOf(root));
  for (const name of names) {
    const [written, real] = await Promise.all([image, root].map((at) => readFile(join(at, name))));
    expect(written?.equals(real ?? Buffer.alloc(0)), name).toBe(true);
  }
}

/** The files of a folder, without the shared memory of SQLite, which is mapped and not written. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
}

/** Cuts the power of a run `count` times. Returns what was missing or damaged afterwards. */
function cutPowerOf(
  run: Run,
  entries: readonly Entry[],
  options: { readonly random: Random; readonly count: number; readonly delay?: number },
): Promise<object[]> {
  const { root, histories, apiKey } = run;
  const moments = histories.map((history) => new Moment(history));
  const positions = choosePositions(run, entries, options);
  return cutPower({ root, entries, positions, ...options }, async ({ position, image }) => {
    for (const moment of moments) moment.advance(position);
    const announced = position >= run.announcedAt ? apiKey : undefined;
    await expectNothingMissing(join(image, place), { moments, position, apiKey: announced });
    if (position >= run.backedUpAt) await expectSoundBackup(join(image, backup));
  });
}

test('power losses under load lose nothing that was confirmed', { timeout: 900_000 }, async () => {
  const seed = chooseSeed();
  report('seed', seed);
  const random = createRandom(seed);
  const run = await recordLoad(seed);
  const entries = await run.recording.entries();
  const confirmed = run.histories.flatMap(({ steps }) => steps).length;
  report('recorded', { entries: entries.length, bytes: run.end, confirmed });
  await expectComplete(run, entries);

  const problems = await cutPowerOf(run, entries, { random, count: powerLosses });
  report('power losses', { count: powerLosses, problems: problems.length });
  expect(problems).toEqual([]);

  // A disk that lies must lose something, or this test could not see a loss.
  const { count, delay } = lies;
  const losses = await cutPowerOf(run, entries, { random, count, delay });
  report('power losses of a lying disk', { count, problems: losses.length });
  expect(losses.length).toBeGreaterThan(count / 5);
});
