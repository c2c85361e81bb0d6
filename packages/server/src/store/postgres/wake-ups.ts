import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { WakeUps } from '../driver.ts';

const channel = 'document_vault_deliveries';

/** Milliseconds until a lost connection is replaced. */
const reconnectMs = 1_000;

/**
 * Messages by NOTIFY. PostgreSQL commits notifications of all transactions one after the other, so they are sent
 * after the commits that they report, and one at a time.
 *
 * @param connect opens a connection that only listens
 */
export function createWakeUps(
  pool: Pick<pg.Pool, 'query'>,
  connect: () => Promise<pg.Client>,
): WakeUps {
  const sender = randomUUID();
  let isSending = false;
  let isDue = false;

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

    listen(wake) {
      const listener = new Listener(connect, (message) => {
        if (message !== sender) wake();
      });
      listener.start();
      return () => listener.close();
    },
  };
}

class Listener {
  readonly #connect: () => Promise<pg.Client>;
  readonly #onMessage: (message: string | undefined) => void;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #starting: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(connect: () => Promise<pg.Client>, onMessage: (message: string | undefined) => void) {
    this.#connect = connect;
    this.#onMessage = onMessage;
  }

  /** Connects; after a failure, again a second later. */
  start(): void {
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
    // A broken connection emits `error` and `end`.
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => this.#onMessage(payload));
    client.once('end', () => this.#startLater());
    this.#client = client;
    await client.query(`LISTEN ${channel}`);
  }

  #startLater(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.start(), reconnectMs);
    this.#timer.unref();
  }
}
