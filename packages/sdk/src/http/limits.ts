import { AbortError, type ErrorFacts, TimeoutError } from '../errors.ts';

/** What ends a piece of work from outside. */
export interface Bounds {
  signal: AbortSignal | undefined;
  /** Milliseconds; when infinite, only the signal ends the work. */
  timeoutMs: number;
  /** What the error says about the call. */
  facts?: ErrorFacts | undefined;
}

/** The error of a call that its caller's signal ended. */
export function aborted({ signal, facts }: Omit<Bounds, 'timeoutMs'>): AbortError {
  return new AbortError('The call was aborted', { ...facts, cause: signal?.reason });
}

/**
 * Runs `work` until it ends by itself, the signal is aborted or the time is up, whichever comes
 * first. Work that ignores its signal is left behind, not waited for. Afterwards neither a timer nor
 * a listener is left.
 *
 * @throws AbortError, TimeoutError, and whatever `work` throws
 */
export function bounded<T>(
  { signal, timeoutMs, facts }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const stop = (error: Error) => {
      release();
      reject(error);
      controller.abort(error);
    };
    const onAbort = () => stop(aborted({ signal, facts }));
    const onTimeout = () =>
      stop(new TimeoutError(`No answer within ${Math.round(timeoutMs)} ms`, facts));
    if (signal?.aborted) return onAbort();
    if (timeoutMs <= 0) return onTimeout();
    signal?.addEventListener('abort', onAbort);
    if (timeoutMs !== Infinity) timer = setTimeout(onTimeout, timeoutMs);
    const fail = (error: unknown) => {
      release();
      reject(error);
    };
    try {
      work(controller.signal).then((value) => {
        release();
        resolve(value);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}
