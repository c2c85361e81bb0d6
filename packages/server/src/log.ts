import { write, writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config/config.ts';

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

/** Bytes of a buffer of lines. A full one is written without a pause. */
const bufferSize = 64 * 1024;

/** Bytes of a character in UTF-8, at most. */
const maxCharacterBytes = 3;

/** Log lines that wait to be written, in bytes; further ones are dropped and counted. */
const maxWaiting = 32 * 1024 * 1024;

/**
 * Milliseconds from the end of a write to the next one. Each write costs system calls and a change of threads:
 * when a server is busy, more processor time than its lines.
 */
const writePause = 20;

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
  /** Buffers of waiting lines, and the one that lines are added to. */
  const full: Buffer[] = [];
  let open = Buffer.allocUnsafe(bufferSize);
  let openLength = 0;
  let waitingBytes = 0;
  let dropped = 0;
  let batch: Buffer = Buffer.alloc(0);
  /** Of the batch. A failed one waits until it is repeated, and a written one lets lines collect. */
  let state: 'idle' | 'writing' | 'paused' | 'failed' = 'idle';
  let timer: NodeJS.Timeout | undefined;

  const closeBuffer = () => {
    if (openLength > 0) full.push(open.subarray(0, openLength));
    open = open.subarray(openLength);
    openLength = 0;
  };
  /**
   * Copies a line and returns its bytes. A line of the logger consists of many strings, which the garbage
   * collector would have to move until they are written.
   */
  const append = (line: string) => {
    const largest = line.length * maxCharacterBytes;
    if (largest > open.length - openLength) {
      closeBuffer();
      open = Buffer.allocUnsafe(bufferSize);
    }
    if (largest > bufferSize) {
      const buffer = Buffer.from(line);
      full.push(buffer);
      return buffer.length;
    }
    const length = open.write(line, openLength);
    openLength += length;
    return length;
  };
  const takeBatch = () => {
    if (batch.length > 0) return true;
    if (full.length === 0) closeBuffer();
    batch = full.shift() ?? batch;
    waitingBytes -= batch.length;
    return batch.length > 0;
  };
  const writeBatch = () => {
    clearTimeout(timer);
    state = takeBatch() ? 'writing' : 'idle';
    if (state === 'writing') file.write(batch, finish);
  };
  const writeAfter = (milliseconds: number) => {
    timer = setTimeout(writeBatch, milliseconds).unref();
  };
  const finish = (error: Error | null, written: number) => {
    state = error ? 'failed' : 'paused';
    if (error) return writeAfter(retryDelay);
    batch = batch.subarray(written);
    if (batch.length > 0 || full.length > 0) writeBatch();
    else writeAfter(writePause);
    const lines = dropped;
    dropped = 0;
    if (lines > 0) onDropped(lines);
  };
  return {
    write(line) {
      if (waitingBytes + line.length > maxWaiting) {
        dropped += 1;
        return;
      }
      waitingBytes += append(line);
      if (state === 'idle' || (state === 'paused' && full.length > 0)) writeBatch();
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
