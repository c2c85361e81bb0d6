import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Figures } from './server-child.ts';

const program = fileURLToPath(new URL('./server-child.ts', import.meta.url));

const mebibyte = 2 ** 20;

/** How long the process may leave a message without a reply, in milliseconds; then it is killed. */
const maxSilence = 20_000;

/** The longest time that one input may occupy the event loop, in milliseconds of processor time. */
const defaultBlockMs = 250;
/**
 * How much its memory may grow for one input, beyond four times the bytes that were sent. The memory of the process
 * varies by some 70 MiB with the garbage collector.
 */
const maxExtraBytes = 128 * mebibyte;

export interface Account {
  readonly email: string;
  readonly password: string;
}

/** The server at the other end of the fuzzer. */
export interface Subject {
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;
  readonly account: Account;
  /**
   * Asserts that handling what was sent cost little and broke nothing. Returns what it cost.
   *
   * @param maxBlockMs how long it may occupy the event loop; default: 250 ms of processor time
   */
  assertUnharmed(sentBytes: number, maxBlockMs?: number): Promise<Figures>;
  /** The bytes of its JavaScript objects and buffers after garbage collection. */
  collect(): Promise<number>;
  readonly isRunning: () => boolean;
  stop(): Promise<void>;
}

interface Announcement {
  readonly url: string;
  readonly apiKey: string;
  readonly account: Account;
}

export async function startSubject(): Promise<Subject> {
  const child = fork(program, [], {
    execArgv: [
      '--conditions=@document-vault/source',
      '--disable-warning=ExperimentalWarning',
      '--expose-gc',
    ],
  });
  const exit = once(child, 'exit');
  const [announcement] = (await Promise.race([
    once(child, 'message'),
    exit.then(() => Promise.reject(new Error('the server did not start'))),
  ])) as [Announcement];
  let { bytes } = await ask(child, 'collect');
  return {
    ...announcement,
    port: Number(new URL(announcement.url).port),
    async assertUnharmed(sentBytes, maxBlockMs = defaultBlockMs) {
      const figures = await ask(child, 'figures');
      const grown = figures.peakBytes - bytes;
      bytes = figures.bytes;
      if (figures.complaints.length > 0) throw new Error(`It logged ${figures.complaints.join()}`);
      if (figures.blockMs > maxBlockMs) {
        throw new Error(`The event loop was occupied for ${Math.round(figures.blockMs)} ms`);
      }
      if (grown > maxExtraBytes + 4 * sentBytes) {
        throw new Error(
          `Memory grew by ${Math.round(grown / mebibyte)} MiB for ${sentBytes} bytes that were sent`,
        );
      }
      return figures;
    },
    collect: async () => (await ask(child, 'collect')).objectBytes,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function ask(child: ChildProcess, wish: 'figures' | 'collect'): Promise<Figures> {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error('The server has ended');
  const settled = new AbortController();
  const { signal } = settled;
  let problem = 'The server has ended';
  const timer = setTimeout(() => {
    problem = `The server's event loop was blocked for ${maxSilence} ms`;
    child.kill('SIGKILL');
  }, maxSilence);
  try {
    const reply = once(child, 'message', { signal }) as Promise<[Figures]>;
    const end = once(child, 'exit', { signal }).then(() => {
      throw new Error(problem);
    });
    child.send(wish);
    const [figures] = await Promise.race([reply, end]);
    // The one that lost the race is aborted below.
    end.catch(() => undefined);
    reply.catch(() => undefined);
    return figures;
  } finally {
    clearTimeout(timer);
    settled.abort();
  }
}
