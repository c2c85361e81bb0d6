import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const source = fileURLToPath(new URL('./recording.c', import.meta.url));

/** The numbers of `recording.c`. */
const kinds = [
  'none',
  'create',
  'write',
  'truncate',
  'sync',
  'sync-folder',
  'unlink',
  'rename',
  'link',
  'mkdir',
] as const;

/** One change of a file or a folder, or its synchronisation. */
export interface Entry {
  readonly kind: (typeof kinds)[number];
  /** The number of the file; 0 where `paths` name it. */
  readonly inode: number;
  /** Where a write begins, or the length after a truncation. */
  readonly offset: number;
  /** What was written, or the path, or two paths with a zero byte between them. */
  readonly data: Buffer;
  /** Where this entry ends in the record. */
  readonly position: number;
}

export interface Recording {
  /** For the environment of a process whose changes are recorded. */
  readonly env: Readonly<Record<string, string>>;
  /** How much has been recorded. Every change so far lies before this position. */
  position(): number;
  entries(): Promise<readonly Entry[]>;
}

/** Records what processes change below `root`; `folder` is where the record and the library go. */
export async function createRecording(folder: string, root: string): Promise<Recording> {
  const library = join(folder, 'recording.so');
  const record = join(folder, 'record');
  await execute('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl', '-lpthread']);
  return {
    env: {
      LD_PRELOAD: library,
      POWER_ROOT: root,
      POWER_RECORD: record,
      // Otherwise libuv could write without calling the C library.
      UV_USE_IO_URING: '0',
    },
    position: () => statSync(record).size,
    entries: async () => parse(await readFile(record)),
  };
}

const headerBytes = 24;

function parse(record: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < record.length; ) {
    const data = at + headerBytes;
    const position = data + record.readUInt32LE(at + 20);
    entries.push({
      kind: kinds[record.readUInt32LE(at + 16)] ?? 'none',
      inode: Number(record.readBigUInt64LE(at)),
      offset: Number(record.readBigUInt64LE(at + 8)),
      data: record.subarray(data, position),
      position,
    });
    at = position;
  }
  return entries;
}
