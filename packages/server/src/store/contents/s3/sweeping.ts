import type { ContentObject } from '../../rows/documents/content-objects.ts';
import type { S3ContentsOptions } from './s3-contents.ts';

/** Objects that are removed at once. */
const maxObjects = 20;

/** Milliseconds until an upload is aborted again: parts that were being sent may have arrived since. */
const abortAgainAfter = 24 * 60 * 60 * 1000;

/** Milliseconds until a failed removal is tried again, so that it does not delay others. */
const retryAfter = 10 * 60 * 1000;

/**
 * Returns a step of the sweeper that removes due objects. The rows say which: no bucket is listed. A removal that
 * a crash interrupts is repeated, which does no harm.
 */
export function objectRemoval({ store, clock, objects }: S3ContentsOptions) {
  async function remove({ key, uploadId, state }: ContentObject): Promise<void> {
    if (uploadId !== null) await objects.abortUpload({ key, uploadId });
    await objects.delete(key);
    const isAbortedAgain = state === 'open' && uploadId !== null;
    await store.transaction((tx) =>
      isAbortedAgain
        ? tx.contentObjects.postpone(key, 'aborted', clock.now() + abortAgainAfter)
        : tx.contentObjects.remove(key),
    );
  }

  /** @throws the first error, after all objects were tried */
  return async (limit: number): Promise<number> => {
    const due = await store.contentObjects.due({ now: clock.now(), limit: maxObjects });
    const results = await Promise.allSettled(due.map(remove));
    for (const [index, { status }] of results.entries()) {
      const object = due[index];
      if (status === 'fulfilled' || !object) continue;
      const until = clock.now() + retryAfter;
      await store.transaction((tx) => tx.contentObjects.postpone(object.key, object.state, until));
    }
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return due.length < maxObjects ? 0 : limit;
  };
}
