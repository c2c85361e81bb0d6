import { AbortError, type ErrorContext, TimeoutError } from '../errors.ts';
import type { Clock } from '../options.ts';

/** The signal and the timeout of a piece of work. */
export interface Deadline {
  signal?: AbortSignal | null | undefined;
  /** Milliseconds. @default Infinity: only the signal ends the work */
  timeoutMs?: number;
  /** Method and path for the error. */
  context?: ErrorContext | undefined;
}

/** The total time of a call with all its attempts and waits. */
export interface TimeLimit {
  readonly clock: Pick<Clock, 'now'>;
  /** When `totalTimeout` is reached, by the client's clock. */
  readonly endsAt: number;
}

/** The signal and the timeouts of a call. */
export interface CallDeadline extends TimeLimit {
  readonly signal: AbortSignal | null | undefined;
  readonly clock: Clock;
  readonly maxRetryAfter: number;
  readonly context: ErrorContext;
}

/** Makes the error of a call whose signal is aborted. */
export function abortError({ signal, context }: Deadline): AbortError {
  return new AbortError('The call was aborted', { ...context, cause: signal?.reason });
}

/**
 * Runs `work` until it settles, the signal is aborted or the time is up, whichever comes first. It
 * does not wait for work that ignores its signal, and leaves no timer and no listener.
 *
 * @throws AbortError, TimeoutError, and the errors of `work`
 */
export function withDeadline<T>(
  { signal, timeoutMs = Infinity, context }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const stop = (error: Error) => {
      end();
      reject(error);
      controller.abort(error);
    };
    const onAbort = () => stop(abortError({ signal, context }));
    const onTimeout = () =>
      stop(new TimeoutError(`No response within ${Math.round(timeoutMs)} ms`, context));
    if (signal?.aborted) return onAbort();
    if (timeoutMs <= 0) return onTimeout();
    signal?.addEventListener('abort', onAbort);
    if (timeoutMs !== Infinity) timer = setTimeout(onTimeout, timeoutMs);
    const settle =
      <V>(done: (value: V) => void) =>
      (value: V) => {
        end();
        done(value);
      };
    try {
      work(controller.signal).then(settle(resolve), settle(reject));
    } catch (error) {
      settle(reject)(error);
    }
  });
}

/** How much of a call's total time is left, in milliseconds. */
export function timeLeft({ endsAt, clock }: TimeLimit): number {
  return endsAt - clock.now();
}

/** Whether a call waits as long as the service asks, in milliseconds. */
export function acceptsWait(call: CallDeadline, ms: number): boolean {
  return ms <= call.maxRetryAfter && ms < timeLeft(call);
}

/** Runs `work` until the call ends. */
export function withinCall<T>(
  call: CallDeadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withDeadline({ ...call, timeoutMs: timeLeft(call) }, work);
}
