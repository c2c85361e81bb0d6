/** A case does not hold. */
class CheckError extends Error {}

/** @throws CheckError */
export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new CheckError(what);
}

/**
 * Compares by value, through JSON.
 *
 * @throws CheckError
 */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(is === should, `${what}: ${is} instead of ${should}`);
}

/** @throws CheckError */
export function sameBytes(actual: Uint8Array, expected: Uint8Array, what: string): void {
  check(actual.length === expected.length, `${what}: ${actual.length} bytes`);
  check(
    actual.every((byte, n) => byte === expected[n]),
    `${what}: other bytes`,
  );
}

/** What an error of the client must be. */
type Expected = Readonly<Record<string, unknown>> & { readonly name: string };

/**
 * Waits for a rejection and looks at the error's properties.
 *
 * @throws CheckError
 */
export async function rejects(
  promise: PromiseLike<unknown>,
  expected: Expected,
): Promise<Error & Record<string, unknown>> {
  let error: unknown;
  try {
    await promise;
  } catch (thrown) {
    error = thrown;
  }
  check(error instanceof Error, `no ${expected.name}, but ${JSON.stringify(error)}`);
  const facts = error as Error & Record<string, unknown>;
  for (const [property, value] of Object.entries(expected)) {
    if (Object.is(facts[property], value)) continue;
    throw new CheckError(`${property} is ${String(facts[property])}, not ${String(value)}`, {
      cause: error,
    });
  }
  return facts;
}

/** What a function throws; undefined when it throws nothing. */
export function thrownBy(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
