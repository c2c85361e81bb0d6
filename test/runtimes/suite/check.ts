/** A check of a case failed. */
class CheckError extends Error {}

/**
 * Fails when the condition is false.
 *
 * @throws CheckError with this message
 */
export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new CheckError(message);
}

/**
 * Fails when two values differ as JSON.
 *
 * @throws CheckError
 */
export function same(actual: unknown, expected: unknown, name: string): void {
  const [actualJson, expectedJson] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(actualJson === expectedJson, `${name}: ${actualJson} instead of ${expectedJson}`);
}

/** @throws CheckError */
export function sameBytes(actual: Uint8Array, expected: Uint8Array, name: string): void {
  check(
    actual.length === expected.length,
    `${name}: ${actual.length} bytes instead of ${expected.length}`,
  );
  const differing = actual.findIndex((byte, n) => byte !== expected[n]);
  check(differing === -1, `${name}: byte ${differing} differs`);
}

/** Properties of an expected error. */
type Expected = Readonly<Record<string, unknown>> & { readonly name: string };

/**
 * Waits until a promise rejects, and checks the properties of the error.
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
  check(error instanceof Error, `${JSON.stringify(error)} instead of a ${expected.name}`);
  const actual = error as Error & Record<string, unknown>;
  for (const [property, value] of Object.entries(expected)) {
    if (Object.is(actual[property], value)) continue;
    throw new CheckError(`${property}: ${String(actual[property])} instead of ${String(value)}`, {
      cause: error,
    });
  }
  return actual;
}

/** Returns the error that a function throws, or undefined when it returns. */
export function thrownBy(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
