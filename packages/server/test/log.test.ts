import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogDestination, type LogFile } from '../src/lib/log.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const failure = (code: string) => Object.assign(new Error(code), { code });

const refuseDrops = (lines: number) => expect.fail(`${lines} lines were dropped`);

/** A file whose background writes wait for `complete`. */
function openFile() {
  let content = '';
  const pending: { bytes: Buffer; done: (error: Error | null, written: number) => void }[] = [];
  const failures: Error[] = [];
  const file: LogFile = {
    write: (bytes, done) => void pending.push({ bytes, done }),
    writeSync(bytes) {
      const error = failures.shift();
      if (error) throw error;
      content += bytes;
      return bytes.length;
    },
  };
  return {
    file,
    failures,
    content: () => content,
    pending: () => pending.length,
    /** Ends the oldest background write, after `length` bytes. */
    complete(length?: number) {
      const { bytes, done } = pending.shift() ?? expect.fail('nothing is being written');
      const written = bytes.subarray(0, length);
      content += written;
      done(null, written.length);
    },
    fail(code: string) {
      const { done } = pending.shift() ?? expect.fail('nothing is being written');
      done(failure(code), 0);
    },
  };
}

test('lines that arrive during a write are written together after it, in their order', () => {
  const log = openFile();
  const { write } = createLogDestination(log.file, refuseDrops);
  write('1\n');
  write('2\n');
  write('3\n');
  expect(log.pending()).toBe(1);
  log.complete();
  log.complete();
  expect(log.content()).toBe('1\n2\n3\n');
  expect(log.pending()).toBe(0);
});

test('the rest of a partial write is written next', () => {
  const log = openFile();
  const { write } = createLogDestination(log.file, refuseDrops);
  write('one\n');
  write('two\n');
  log.complete(2);
  log.complete();
  log.complete();
  expect(log.content()).toBe('one\ntwo\n');
});

test.each(['ENOSPC', 'EIO', 'EPIPE', 'EAGAIN'])(
  'a write that fails with %s is repeated',
  (code) => {
    const log = openFile();
    const { write } = createLogDestination(log.file, refuseDrops);
    write('1\n');
    log.fail(code);
    write('2\n');
    expect(log.pending()).toBe(0);
    vi.advanceTimersByTime(100);
    log.fail(code);
    vi.advanceTimersByTime(100);
    log.complete();
    log.complete();
    expect(log.content()).toBe('1\n2\n');
  },
);

test('above 32 Mi waiting characters, lines are dropped and their number is reported after the next write', () => {
  const log = openFile();
  const reported: number[] = [];
  const { write } = createLogDestination(log.file, (lines) => reported.push(lines));
  write('first\n');
  write('x'.repeat(32 * 1024 * 1024));
  write('dropped\n');
  write('dropped\n');
  expect(reported).toEqual([]);
  log.complete();
  expect(reported).toEqual([2]);
  write('last\n');
  log.complete();
  log.complete();
  expect(reported).toEqual([2]);
  expect(log.content().replaceAll('x', '')).toBe('first\nlast\n');
});

test('writeRest writes waiting lines and repeats a failed write, but no write that has begun', () => {
  const begun = openFile();
  const destination = createLogDestination(begun.file, refuseDrops);
  destination.write('begun\n');
  destination.write('waiting\n');
  destination.writeRest();
  expect(begun.content()).toBe('waiting\n');

  const failed = openFile();
  const other = createLogDestination(failed.file, refuseDrops);
  other.write('failed\n');
  failed.fail('ENOSPC');
  other.write('waiting\n');
  other.writeRest();
  expect(failed.content()).toBe('failed\nwaiting\n');
});

test('writeRest waits for a busy file, and gives up on one that fails', () => {
  const busy = openFile();
  const destination = createLogDestination(busy.file, refuseDrops);
  destination.write('begun\n');
  destination.write('waiting\n');
  busy.failures.push(failure('EAGAIN'));
  destination.writeRest();
  expect(busy.content()).toBe('waiting\n');

  destination.write('more\n');
  busy.failures.push(failure('ENOSPC'));
  destination.writeRest();
  expect(busy.content()).toBe('waiting\n');
});
