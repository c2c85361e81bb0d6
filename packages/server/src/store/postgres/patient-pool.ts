import pg from 'pg';

/** Milliseconds after a refusal in which a pool opens no further connections. */
const refusalMs = 5_000;

/** Milliseconds between two reports of refusals. */
const reportMs = 60_000;

/** The server, the user or the database has as many connections as it may have. */
const refusals = /^53[34]00$/;

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/**
 * A pool whose queries wait for one of its connections while PostgreSQL refuses further ones. The pool of pg would
 * reject them, although its other connections work.
 */
export class PatientPool extends pg.Pool {
  readonly #max: number;
  readonly #onRefusal: (error: Error) => void;
  /** `totalCount` also counts the connections that are being opened. */
  #open = 0;
  #restoring: NodeJS.Timeout | undefined;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /** @param onRefusal called when PostgreSQL refuses a connection, at most once a minute */
  constructor(config: pg.PoolConfig & { readonly max: number }, onRefusal: (error: Error) => void) {
    super(config);
    this.#max = config.max;
    this.#onRefusal = onRefusal;
    this.on('connect', () => {
      this.#open += 1;
    });
    this.on('remove', () => {
      this.#open -= 1;
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    const connecting = this.#connectPatiently();
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: Error) => callback(error, undefined, () => undefined),
    );
    return undefined;
  }

  async #connectPatiently(): Promise<pg.PoolClient> {
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        const isRefusal = error instanceof pg.DatabaseError && refusals.test(error.code ?? '');
        if (!isRefusal || this.#open === 0) throw error;
        this.#stopGrowing(error);
      }
    }
  }

  /** Lets the next queries wait for the open connections. */
  #stopGrowing(error: Error): void {
    this.options.max = this.#open;
    this.#report(error);
    this.#restoring ??= setTimeout(() => {
      this.#restoring = undefined;
      this.options.max = this.#max;
    }, refusalMs);
    this.#restoring.unref();
  }

  #report(error: Error): void {
    const now = performance.now();
    if (now - this.#reportedAt < reportMs) return;
    this.#reportedAt = now;
    this.#onRefusal(error);
  }
}
