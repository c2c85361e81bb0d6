import { WebhookReceiverError } from './errors.ts';

/** The time that one request has; its timer is gone once it is cleared. */
export interface Deadline {
  /** Aborts when the time is up, with the error that says so. */
  readonly signal: AbortSignal;
  /** The outcome of the work, or a rejection as soon as the time is up; the work itself goes on. */
  limit<T>(work: Promise<T>): Promise<T>;
  clear(): void;
}

/** Starts to count, in milliseconds. */
export function startDeadline(milliseconds: number): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => {
    const message = `There was no answer within ${milliseconds} ms.`;
    controller.abort(new WebhookReceiverError('timeout', message));
  }, milliseconds);
  return {
    signal,
    limit: (work) =>
      new Promise((resolve, reject) => {
        const expire = () => reject(signal.reason);
        if (signal.aborted) expire();
        signal.addEventListener('abort', expire);
        work.then(resolve, reject);
      }),
    clear: () => clearTimeout(timer),
  };
}
