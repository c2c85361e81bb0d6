import { type Clock, recent } from '../../clock.ts';

/** One thing without which no request can be served. */
export interface ReadinessCheck {
  /** What is wrong when it fails, in a few words that anybody may read. */
  readonly name: string;
  /** Rejects when the server is not ready. */
  readonly check: () => Promise<void>;
}

/** What keeps the server from serving; nothing when it is ready. */
export type Readiness = () => Promise<readonly string[]>;

export interface ReadinessOptions {
  readonly clock: Clock;
  readonly checks: readonly ReadinessCheck[];
  /** Hears of a check that fails, and not again before it has succeeded. */
  readonly onFailure: (name: string, error: unknown) => void;
}

/** Milliseconds that the answer of the checks is good for, so that asking costs next to nothing. */
const goodFor = 1_000;

export function createReadiness({ clock, checks, onFailure }: ReadinessOptions): Readiness {
  const failing = new Set<string>();

  async function perform({ name, check }: ReadinessCheck): Promise<void> {
    try {
      await check();
      failing.delete(name);
    } catch (error) {
      if (!failing.has(name)) onFailure(name, error);
      failing.add(name);
    }
  }

  return recent({
    clock,
    forMs: goodFor,
    async find() {
      await Promise.all(checks.map(perform));
      return checks.map(({ name }) => name).filter((name) => failing.has(name));
    },
  });
}
