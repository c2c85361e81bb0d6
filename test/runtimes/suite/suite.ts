/** Where a case runs, and what there is to run it against. Plain data: it crosses into every runtime. */
export interface World {
  readonly runtime: Runtime;
  /** The real server, without a slash at the end. */
  readonly service: string;
  /** A server that does what the real one never would; see `companion.ts`. */
  readonly companion: string;
  /** Another origin, which notes what arrives. */
  readonly foreign: string;
  /** An address of this machine where nobody listens. */
  readonly nobody: string;
  /** Where the worker itself is reached, if it is one. */
  readonly worker?: string;
  readonly account: { readonly email: string; readonly password: string; readonly apiKey: string };
}

export type Runtime = 'node' | 'bun' | 'deno' | 'workerd' | 'chromium';

/** One thing that has to be the same in every runtime. */
export interface Case {
  readonly name: string;
  /** Why it cannot run here; undefined when it can. */
  readonly skip?: (world: World) => string | undefined;
  run(world: World): Promise<void>;
}

/** What became of a case. */
export interface Result {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped, or how it failed. */
  readonly reason?: string;
  readonly ms: number;
}

/** Skips a case wherever there is no browser. */
export function browserOnly(why: string): (world: World) => string | undefined {
  return ({ runtime }) => (runtime === 'chromium' ? undefined : why);
}

/** A case that never ends must not take the others along. */
const limitMs = 20_000;

/** Runs one case. */
export async function runCase(one: Case, world: World): Promise<Result> {
  const { name } = one;
  const reason = one.skip?.(world);
  if (reason !== undefined) return { name, outcome: 'skipped', reason, ms: 0 };
  const startedAt = Date.now();
  const ms = () => Date.now() - startedAt;
  try {
    await within(one.run(world));
    return { name, outcome: 'passed', ms: ms() };
  } catch (error) {
    return { name, outcome: 'failed', reason: tell(error), ms: ms() };
  }
}

async function within(work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An error with everything underneath it. */
function tell(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack?.includes(error.message) ? error.stack : `${error}\n${error.stack}`;
  return error.cause === undefined ? own : `${own}\n  caused by ${tell(error.cause)}`;
}
