import { ServiceError } from '../../errors.ts';

export interface DiskSpaceOptions {
  /** Bytes that the disk under the data has free for this process; throws when it cannot be read. */
  readonly freeBytes: () => number;
  /** Below this, nothing more is stored. */
  readonly minimumBytes: number;
  /** Milliseconds of the process. Default: its monotonic clock. */
  readonly now?: () => number;
}

export type DiskSpace = ReturnType<typeof createDiskSpace>;

/** Milliseconds for which a reading is used. */
const readingLifetime = 1_000;

/** Keeps free space on the disk, so that deletions and the store's own files have room. */
export function createDiskSpace({
  freeBytes,
  minimumBytes,
  now = () => performance.now(),
}: DiskSpaceOptions) {
  let isLow = false;
  let readAt = Number.NEGATIVE_INFINITY;

  function read(): boolean {
    try {
      return freeBytes() < minimumBytes;
    } catch {
      // The health check reports this, and the store fails by itself when it cannot write.
      return false;
    }
  }

  /** @throws ServiceError INTERNAL_ERROR while the disk is nearly full */
  function refuseGrowth(): void {
    const time = now();
    if (time - readAt >= readingLifetime) {
      readAt = time;
      isLow = read();
    }
    if (!isLow) return;
    throw new ServiceError('INTERNAL_ERROR', {
      message:
        'The disk of the server is nearly full: nothing more can be stored. ' +
        'Reading and deleting work. Ask the operator of the server to free space.',
    });
  }

  return { refuseGrowth };
}
