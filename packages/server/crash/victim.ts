import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from './random.ts';
import { type Access, type ServerProcess, startServerProcess } from './server-process.ts';

/** How often a server that is started again is killed before it listens. */
const killedStarts = 0.2;
/** The longest time that it works before it is killed, in milliseconds. */
const longestRun = 400;

/** A server that listens. */
export interface Running {
  readonly process: ServerProcess;
  readonly access: Access;
}

/** A server on a folder of its own that is killed and started again. */
export class Victim {
  killsUnderLoad = 0;
  killsOfStarts = 0;
  /** How long its last start took, in milliseconds; before the first one a guess. */
  startMs = 1_500;
  readonly #data: string;
  readonly #random: Random;

  constructor(data: string, random: Random) {
    this.#data = data;
    this.#random = random;
  }

  /** Kills it at any moment of its start. */
  async killStarting(): Promise<void> {
    const process = startServerProcess(this.#data);
    await wait(this.#random.below(this.startMs * 1.1));
    await process.kill();
    this.killsOfStarts += 1;
  }

  async start(): Promise<Running> {
    while (this.#random.happens(killedStarts)) await this.killStarting();
    const begin = performance.now();
    const process = startServerProcess(this.#data);
    const access = await process.listening;
    this.startMs = Math.round(performance.now() - begin);
    return { process, access };
  }

  /** Kills it at any moment of this work, which ends with it. */
  async killWorking({ process }: Running, work: readonly Promise<void>[]): Promise<void> {
    const kill = wait(this.#random.below(longestRun)).then(() => process.kill());
    await Promise.all([kill, ...work]);
    this.killsUnderLoad += 1;
  }
}
