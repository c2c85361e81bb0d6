import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { WakeUps } from '../driver.ts';

const channel = 'document_vault_deliveries';

/** The key of the lock that each listener shares: the letters `dvll`. Only its holders are counted. */
const presenceLock = 0x64_76_6c_6c;

/** Milliseconds until a lost connection is replaced. */
const reconnectMs = 1_000;

export interface PostgresWakeUps extends WakeUps {
  /** Connects. From then on until `close`, `othersListen` of other processes is true. */
  open(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Messages by NOTIFY. PostgreSQL commits notifications of all transactions one after the other, so they are sent
 * after the commits that they report, and one at a time.
 *
 * @param connect opens a connection that only listens
 */
export function createWakeUps(
  pool: Pick<pg.Pool, 'query'>,
  connect: () => Promise<pg.Client>,
): PostgresWakeUps {
  const sender = randomUUID();
  let isSending = false;
  let isDue = false;
  let onMessage: (() => void) | undefined;
  const listener = new Listener(connect, (message) => {
    if (message !== sender) onMessage?.();
  });

  async function sendDue(): Promise<void> {
    isSending = true;
    while (isDue) {
      isDue = false;
      // A lost message costs a second: the others look by themselves.
      await pool.query('SELECT pg_notify($1, $2)', [channel, sender]).catch(() => undefined);
    }
    isSending = false;
  }

  return {
    send() {
      isDue = true;
      if (!isSending) void sendDue();
    },

    async othersListen() {
      const { rows } = await pool.query<{ others: number }>(
        `SELECT COUNT(*) AS others FROM pg_locks
         WHERE locktype = 'advisory' AND classid = 0 AND objid = ${presenceLock} AND objsubid = 1 AND granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
           AND pid <> $1`,
        [listener.processId ?? 0],
      );
      return (rows[0]?.others ?? 0) > 0;
    },

    listen(wake) {
      onMessage = wake;
      listener.start();
      return () => {
        onMessage = undefined;
      };
    },

    open: () => listener.open(),
    close: () => listener.close(),
  };
}

class Listener {
  readonly #connect: () => Promise<pg.Client>;
  readonly #onMessage: (message: string | undefined) => void;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #starting: Promise<void> | undefined;
  #isClosed = false;
  /** Process id of the connection in PostgreSQL; undefined before it listens. */
  processId: number | undefined;

  constructor(connect: () => Promise<pg.Client>, onMessage: (message: string | undefined) => void) {
    this.#connect = connect;
    this.#onMessage = onMessage;
  }

  /** Connects, and resolves when this process is present. */
  async open(): Promise<void> {
    const beginning = this.#begin();
    this.#starting = beginning.catch(() => undefined);
    await beginning;
  }

  /** Connects, unless `open` did; after a failure, again a second later. */
  start(): void {
    if (!this.#starting) this.#restart();
  }

  #restart(): void {
    this.#starting = this.#begin().catch(() => this.#startLater());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#starting;
    await this.#client?.end().catch(() => undefined);
  }

  async #begin(): Promise<void> {
    const client = await this.#connect();
    client.on('notification', ({ payload }) => this.#onMessage(payload));
    client.once('end', () => this.#startLater());
    this.#client = client;
    try {
      const { rows } = await client.query<{ id: number }>(
        `SELECT pg_backend_pid() AS id, pg_advisory_lock_shared(${presenceLock})`,
      );
      this.processId = rows[0]?.id;
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      // Each further attempt has a connection of its own.
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  #startLater(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#restart(), reconnectMs);
    this.#timer.unref();
  }
}
