/** The runtime of a case and the servers for its requests. JSON values: other processes receive it. */
export interface Environment {
  readonly runtime: Runtime;
  /** URL of the real server, without a slash at the end. */
  readonly service: string;
  /** URL of the stub server; see `stub-server.ts`. */
  readonly stub: string;
  /** URL of another origin, which records requests. */
  readonly foreign: string;
  /** URL with a port of this machine on which no program listens. */
  readonly closedPort: string;
  /** URL of the worker, when the runtime is workerd. */
  readonly worker?: string;
  readonly account: { readonly email: string; readonly password: string; readonly apiKey: string };
}

export type Runtime = 'node' | 'bun' | 'deno' | 'workerd' | 'chromium';

/** One behaviour that every runtime must have. */
export interface Case {
  readonly name: string;
  /** Returns the reason why the case cannot run in a runtime, or undefined when it can. */
  readonly skip?: (environment: Environment) => string | undefined;
  run(environment: Environment): Promise<void>;
}

/** The result of a case. */
export interface Result {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why the case was skipped, or the error with its causes. */
  readonly reason?: string;
  readonly ms: number;
}

/** Skips a case outside browsers, with this reason. */
export function browserOnly(reason: string): (environment: Environment) => string | undefined {
  return ({ runtime }) => (runtime === 'chromium' ? undefined : reason);
}

/** Time limit of a case: one that never ends must not stop the others. */
const limitMs = 20_000;

/** Runs one case. */
export async function runCase(testCase: Case, environment: Environment): Promise<Result> {
  const { name } = testCase;
  const reason = testCase.skip?.(environment);
  if (reason !== undefined) return { name, outcome: 'skipped', reason, ms: 0 };
  const startedAt = Date.now();
  const ms = () => Date.now() - startedAt;
  try {
    await withTimeout(testCase.run(environment));
    return { name, outcome: 'passed', ms: ms() };
  } catch (error) {
    return { name, outcome: 'failed', reason: describe(error), ms: ms() };
  }
}

async function withTimeout(work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result after ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the stacks of an error and of its causes. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack?.includes(error.message) ? error.stack : `${error}\n${error.stack}`;
  return error.cause === undefined ? own : `${own}\n  caused by ${describe(error.cause)}`;
}
