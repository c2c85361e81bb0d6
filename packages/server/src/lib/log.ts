import { write, writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';

/** Creates the log of a server: JSON lines on standard error. */
export function createLog({ logLevel: level }: Pick<Config, 'logLevel'>): Logger {
  standardError ??= openStandardError();
  return pino({ level }, standardError);
}

/** One for all servers of the process, so that their lines do not mix. */
let standardError: LogDestination | undefined;

function openStandardError(): LogDestination {
  const destination = createLogDestination(
    {
      write: (bytes, done) => write(2, bytes, done),
      writeSync: (bytes) => writeSync(2, bytes),
    },
    (droppedLines) => pino(destination).warn({ droppedLines }, 'log lines were dropped'),
  );
  process.on('exit', () => destination.writeRest());
  return destination;
}

/** A log destination that lines are written to in the background. */
export interface LogDestination extends DestinationStream {
  /** Writes the waiting lines now. Gives up when the file fails, or accepts nothing for a second. */
  writeRest(): void;
}

/** The calls of `node:fs` on a file descriptor. */
export interface LogFile {
  write(bytes: Buffer, done: (error: Error | null, written: number) => void): void;
  /** @returns the number of bytes written */
  writeSync(bytes: Buffer): number;
}

/** Log lines that wait to be written, in characters; further ones are dropped and counted. */
const maxWaiting = 32 * 1024 * 1024;

/** Milliseconds until a failed write is repeated. */
const retryDelay = 100;

/** Failed writes at the exit, after each of which the process waits for `retryDelay`. */
const maxBusyWrites = 10;

/**
 * Creates a log destination. A request does not wait for its line.
 *
 * A failed write does not end the process, and is repeated: a full disk or a closed terminal must not stop
 * the server. pino's own destination throws instead, and repeats a failed write at the exit without end.
 *
 * @param onDropped called with the number of dropped lines once lines can be written again
 */
export function createLogDestination(
  file: LogFile,
  onDropped: (lines: number) => void,
): LogDestination {
  let waiting: string[] = [];
  let waitingLength = 0;
  let dropped = 0;
  let batch: Buffer = Buffer.alloc(0);
  /** Of the batch. A failed one waits until it is repeated. */
  let state: 'idle' | 'writing' | 'failed' = 'idle';

  const takeBatch = () => {
    if (batch.length === 0) {
      batch = Buffer.from(waiting.join(''));
      waiting = [];
      waitingLength = 0;
    }
    return batch.length > 0;
  };
  const writeBatch = () => {
    state = takeBatch() ? 'writing' : 'idle';
    if (state === 'writing') file.write(batch, finish);
  };
  const finish = (error: Error | null, written: number) => {
    if (error) {
      state = 'failed';
      setTimeout(writeBatch, retryDelay).unref();
      return;
    }
    batch = batch.subarray(written);
    const lines = dropped;
    dropped = 0;
    if (lines > 0) onDropped(lines);
    writeBatch();
  };
  return {
    write(line) {
      if (waitingLength + line.length > maxWaiting) {
        dropped += 1;
        return;
      }
      waiting.push(line);
      waitingLength += line.length;
      if (state === 'idle') writeBatch();
    },
    writeRest() {
      // A write that has begun is completed by its thread before the process ends.
      if (state === 'writing') batch = Buffer.alloc(0);
      let busyWrites = 0;
      while (takeBatch() && busyWrites < maxBusyWrites) {
        try {
          batch = batch.subarray(file.writeSync(batch));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
          busyWrites += 1;
          pause(retryDelay);
        }
      }
    },
  };
}

/** Blocks the process, which is about to exit. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
