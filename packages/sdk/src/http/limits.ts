import { AbortError, type ErrorFacts, TimeoutError } from '../errors.ts';
import type { Clock } from '../options.ts';

/** What ends a piece of work from outside. */
export interface Bounds {
  signal: AbortSignal | undefined;
  /** Milliseconds; when infinite, only the signal ends the work. */
  timeoutMs: number;
  /** What the error says about the call. */
  facts?: ErrorFacts | undefined;
}

/** What ends a call from outside, over all its attempts and waits. */
export interface Budget {
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  /** When the total time is up, by the client's clock. */
  readonly endsAt: number;
  readonly maxRetryAfter: number;
  readonly facts: ErrorFacts;
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
    const ending =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        settle(value);
      };
    const fail = ending(reject);
    const stop = (error: Error) => {
      fail(error);
      controller.abort(error);
    };
    const onAbort = () => stop(aborted({ signal, facts }));
    const onTimeout = () =>
      stop(new TimeoutError(`No answer within ${Math.round(timeoutMs)} ms`, facts));
    if (signal?.aborted) return onAbort();
    if (timeoutMs <= 0) return onTimeout();
    signal?.addEventListener('abort', onAbort);
    if (timeoutMs !== Infinity) timer = setTimeout(onTimeout, timeoutMs);
    try {
      work(controller.signal).then(ending(resolve), fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** How much of a call's total time is left, in milliseconds. */
function timeLeft({ endsAt, clock }: Budget): number {
  return endsAt - clock.now();
}

/** Whether a call can wait `ms` milliseconds. */
export function fits(budget: Budget, ms: number): boolean {
  return ms < timeLeft(budget);
}

/** Whether a call waits `ms` milliseconds when the service asks for it. */
export function accepts(budget: Budget, ms: number): boolean {
  return ms <= budget.maxRetryAfter && fits(budget, ms);
}

/** Waits for `work` as long as the call lasts. */
export function within<T>(budget: Budget, work: (ended: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, facts } = budget;
  return bounded({ signal, timeoutMs: timeLeft(budget), facts }, work);
}
