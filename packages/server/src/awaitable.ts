/** A value that is known at once or later. Code that waits only for promises saves a turn of the event loop. */
export type Awaitable<T> = T | Promise<T>;

/** Calls `then` with the value: at once when it is known. */
export function whenKnown<T, Result>(
  value: Awaitable<T>,
  then: (value: T) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(then) : then(value);
}
