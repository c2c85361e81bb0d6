/**
 * `npm run test:fuzz`: inputs that nobody thought of, for everything that reads what strangers send.
 *
 *   node test/fuzz/main.ts [--minutes 3] [--seed 1] [--target bodies]
 *
 * Inputs in `seeds/<target>/` are tried first. A failing input is made as small as there is time for and
 * written there: from then on it is tried in every run.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { type Subject, startSubject } from './server.ts';
import type { Target } from './target.ts';
import { targets } from './targets/index.ts';
import { createWorld, type World } from './world.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    target: { type: 'string', default: '' },
  },
});
const seed = Number(values.seed);
const milliseconds = Number(values.minutes) * 60_000;
const chosen = targets.filter(({ name }) => name.includes(values.target));
const weights = chosen.reduce((total, { weight }) => total + weight, 0);
const seedsFolder = fileURLToPath(new URL('./seeds/', import.meta.url));

/** Inputs after which the world is made anew: some of them delete what they name. */
const worldLife = 300;
/** Inputs after which the server is started anew: it refuses to hold more than its limits. */
const serverLife = 20_000;
/** What the server may hold at the end beyond its memory at the beginning, collected, in bytes. */
const maxGrowth = 128 * 2 ** 20;

interface Result {
  readonly name: string;
  readonly seeds: number;
  readonly executions: number;
  readonly findings: readonly string[];
}

/** The server and what is in it, which outlive neither a crash nor the inputs that use them up. */
class Setting {
  subject: Subject;
  world: World;
  #uses = 0;

  constructor(subject: Subject, world: World) {
    this.subject = subject;
    this.world = world;
  }

  static async create(): Promise<Setting> {
    const subject = await startSubject();
    return new Setting(subject, await createWorld(subject));
  }

  async prepare(): Promise<void> {
    this.#uses += 1;
    if (this.#uses % serverLife === 0) await this.subject.stop();
    if (this.subject.isRunning()) {
      if (this.#uses % worldLife !== 0) return;
      const world = await createWorld(this.subject).catch(() => undefined);
      if (world) this.world = world;
      // An input has changed the account itself.
      else await this.subject.stop();
    }
    if (!this.subject.isRunning()) {
      this.subject = await startSubject();
      this.world = await createWorld(this.subject);
    }
    await this.subject.collect();
  }
}

async function readSeeds(name: string): Promise<{ file: string; input: unknown }[]> {
  const folder = join(seedsFolder, name);
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return Promise.all(
    files.sort().map(async (file) => ({
      file,
      input: JSON.parse(await readFile(join(folder, file), 'utf8')),
    })),
  );
}

async function keep(name: string, input: unknown): Promise<string> {
  const folder = join(seedsFolder, name);
  await mkdir(folder, { recursive: true });
  const file = join(folder, `found-${Date.now()}.json`);
  await writeFile(file, `${JSON.stringify(input, null, 2)}\n`);
  return file;
}

async function fuzz(target: Target<unknown>, setting: Setting): Promise<Result> {
  const findings: string[] = [];
  let executions = 0;
  let last: Promise<void> = Promise.resolve();
  const attempt = (input: unknown) => {
    executions += 1;
    last = setting.prepare().then(() => target.attempt(input, setting));
    return last;
  };
  const seeds = await readSeeds(target.name);
  for (const { file, input } of seeds) {
    await attempt(input).catch((error: unknown) => findings.push(`seed ${file}: ${error}`));
  }
  const details = await fc.check(fc.asyncProperty(target.inputs, attempt), {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: (milliseconds * target.weight) / weights,
  });
  // When the time is over, fast-check does not wait for the attempt that runs.
  await last.catch(() => undefined);
  if (details.failed && details.counterexample !== null) {
    const file = await keep(target.name, details.counterexample[0]);
    findings.push(
      `${details.errorInstance}\n  input: ${file}\n  again: --seed ${seed} --target ${target.name}`,
    );
  }
  return { name: target.name, seeds: seeds.length, executions, findings };
}

/** What holds when everything is over. */
async function assertAlive({ subject }: Setting, before: number): Promise<string[]> {
  const { status } = await fetch(`${subject.url}/api/v1/vaults`, {
    headers: { 'x-api-key': subject.apiKey },
  });
  const growth = (await subject.collect()) - before;
  return [
    ...(status === 200 ? [] : [`A valid request at the end was responded to with ${status}`]),
    ...(growth > maxGrowth
      ? [`The server holds ${Math.round(growth / 2 ** 20)} MiB more than at the beginning`]
      : []),
  ];
}

const setting = await Setting.create();
const before = await setting.subject.collect();
const results: Result[] = [];
process.stdout.write(`seed ${seed}\n`);
for (const target of chosen) {
  const result = await fuzz(target, setting);
  results.push(result);
  process.stdout.write(
    `${result.name.padEnd(10)} ${String(result.executions).padStart(8)} executions, ${result.seeds} seeds, ${result.findings.length} findings\n`,
  );
}
const findings = [
  ...results.flatMap(({ name, findings }) => findings.map((finding) => `${name}: ${finding}`)),
  ...(await assertAlive(setting, before)),
];
for (const finding of findings) process.stderr.write(`${finding}\n`);
await setting.subject.stop();
process.exitCode = findings.length === 0 ? 0 : 1;
