import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { subscribe } from '../crash/deliveries.ts';
import { createRandom } from '../crash/random.ts';
import { type Access, type ServerProcess, startServerProcess } from '../crash/server-process.ts';
import { runProcess } from '../test/support/command-line.ts';
import { dataFolder } from '../test/support/data-folder.ts';
import { History } from './history.ts';
import { createRecording, type Recording } from './recording.ts';

/** The data folder, below the recorded root; neither it nor the folder above exists at first. */
export const place = join('new', 'data');
/** A backup, below the recorded root. */
export const backup = 'backup.db';

const clientCount = 4;
/** Changes of each client in each run of the server. */
const changesPerRun = 60;

/** What servers have written, and what they confirmed meanwhile. Times are positions of the record. */
export interface Run {
  readonly root: string;
  readonly recording: Recording;
  readonly histories: readonly History[];
  readonly apiKey: string;
  /** When the first server had announced its account. */
  readonly announcedAt: number;
  readonly backedUpAt: number;
  readonly end: number;
}

/** Servers and commands on one recorded folder. */
class Recorder {
  readonly root: string;
  readonly recording: Recording;
  readonly histories: readonly History[];

  constructor(root: string, recording: Recording, seed: number) {
    this.root = root;
    this.recording = recording;
    let last = 1_000;
    const unique = () => ++last;
    const { position } = recording;
    this.histories = Array.from(
      { length: clientCount },
      (_, index) => new History({ random: createRandom(seed + 1 + index), unique, position }),
    );
  }

  get data(): string {
    return join(this.root, place);
  }

  start(): ServerProcess {
    return startServerProcess(this.data, this.recording.env);
  }

  async work(access: Access): Promise<void> {
    await Promise.all(this.histories.map((history) => history.work(access, changesPerRun)));
  }

  /** Runs a command to its success. Returns the position of the record afterwards. */
  async command(argv: readonly string[]): Promise<number> {
    const { env, position } = this.recording;
    const { code, err } = await runProcess([...argv, '--data', this.data], { env });
    if (code !== 0) throw new Error(`${argv.join(' ')}: ${err}`);
    return position();
  }
}

async function createRecorder(seed: number): Promise<Recorder> {
  const folder = await dataFolder();
  const root = join(folder, 'disk');
  await mkdir(root);
  return new Recorder(root, await createRecording(folder, root), seed);
}

/** A first start, a stop, a backup beside a server, a kill, and a start after it; all of them with load. */
export async function recordLoad(seed: number): Promise<Run> {
  const recorder = await createRecorder(seed);
  const { recording } = recorder;

  const first = recorder.start();
  const access = await first.listening;
  const announcedAt = recording.position();
  await subscribe(access);
  await recorder.work(access);
  await first.stop();

  const second = recorder.start();
  const working = second.listening.then((again) => recorder.work(again));
  await second.listening;
  const backedUpAt = await recorder.command(['backup', join(recorder.root, backup)]);
  await working;
  await second.kill();

  const third = recorder.start();
  await recorder.work(await third.listening);
  await third.kill();
  const { root, histories } = recorder;
  const { apiKey } = access;
  return { root, recording, histories, apiKey, announcedAt, backedUpAt, end: recording.position() };
}
