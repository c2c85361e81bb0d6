/**
 * `npm run test:fuzz`: random inputs for everything that reads data of unknown senders.
 *
 *   node test/fuzz/main.ts [--minutes 4] [--seed 1] [--target bodies]
 *
 * Inputs in `seeds/<target>/` are tried first. A failing input is made smaller while there is time, and
 * written there: every later run tries it.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { createResources, type Resources } from './resources.ts';
import { type Subject, startSubject } from './server.ts';
import type { Target } from './target.ts';
import { targets } from './targets/index.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '4' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    target: { type: 'string', default: '' },
  },
});
const seed = Number(values.seed);
const milliseconds = Number(values.minutes) * 60_000;
const chosen = targets.filter(({ name }) => name.includes(values.target));
if (chosen.length === 0) throw new Error(`There is no target ${values.target}`);
if (!(milliseconds > 0)) throw new Error('--minutes must be above 0');
const weights = chosen.reduce((total, { weight }) => total + weight, 0);
const seedsFolder = fileURLToPath(new URL('./seeds/', import.meta.url));

/** Inputs after which the resources are created again: some inputs delete them. */
const resourcesLife = 300;
/** Inputs after which the server is started again, before its account reaches its limits. */
const serverLife = 20_000;
/** How much the server's objects may grow from beginning to end, after garbage collection, in bytes. */
const maxGrowth = 32 * 2 ** 20;

interface Result {
  readonly name: string;
  readonly seeds: number;
  readonly executions: number;
  readonly findings: readonly string[];
}

/** The server and its resources. Both are created again after a crash and after many inputs. */
class Setting {
  subject: Subject;
  resources: Resources;
  #uses = 0;

  constructor(subject: Subject, resources: Resources) {
    this.subject = subject;
    this.resources = resources;
  }

  static async create(): Promise<Setting> {
    const subject = await startSubject();
    return new Setting(subject, await createResources(subject));
  }

  async prepare(): Promise<void> {
    this.#uses += 1;
    if (this.#uses % serverLife === 0) await this.subject.stop();
    if (this.subject.isRunning()) {
      if (this.#uses % resourcesLife !== 0) return;
      const resources = await createResources(this.subject).catch(() => undefined);
      if (resources) this.resources = resources;
      // An input has changed the account itself.
      else await this.subject.stop();
    }
    if (!this.subject.isRunning()) {
      this.subject = await startSubject();
      this.resources = await createResources(this.subject);
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
  let last: unknown;
  let outcome = Promise.resolve();
  const attempt = (input: unknown) => {
    executions += 1;
    last = input;
    outcome = setting.prepare().then(() => target.attempt(input, setting));
    return outcome;
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
  const report = async (error: unknown, input: unknown) => {
    const file = await keep(target.name, input);
    findings.push(`${error}\n  input: ${file}\n  again: --seed ${seed} --target ${target.name}`);
  };
  // At its time limit, fast-check neither waits for the running attempt nor reports its failure.
  const late = await outcome.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (details.counterexample !== null)
    await report(details.errorInstance, details.counterexample[0]);
  else if (late) await report(late.error, last);
  return { name: target.name, seeds: seeds.length, executions, findings };
}

/** What is wrong with the server after all inputs. */
async function finalFindings({ subject }: Setting, before: number): Promise<string[]> {
  const { status } = await fetch(`${subject.url}/api/v1/vaults`, {
    headers: { 'x-api-key': subject.apiKey },
  });
  const growth = (await subject.collect()) - before;
  return [
    ...(status === 200
      ? []
      : [`The server responded to a valid request at the end with ${status}`]),
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
  for (const line of target.report?.() ?? []) process.stdout.write(`${line}\n`);
}
const findings = [
  ...results.flatMap(({ name, findings }) => findings.map((finding) => `${name}: ${finding}`)),
  ...(await finalFindings(setting, before).catch((error: unknown) => [`at the end: ${error}`])),
];
for (const finding of findings) process.stderr.write(`${finding}\n`);
await setting.subject.stop();
process.exitCode = findings.length === 0 ? 0 : 1;
