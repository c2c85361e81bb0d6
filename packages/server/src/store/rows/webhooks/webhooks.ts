import type { Queries, SqlParameters } from '../../driver.ts';
import { mapRows, matching, type OwnedPageRequest } from '../../lists/listing.ts';
import type { Sealer } from '../../sealing.ts';
import { Table } from '../../table.ts';
import { accessReads } from '../oauth/grants.ts';

export interface WebhookRecord {
  readonly id: string;
  readonly userId: string;
  readonly url: string;
  readonly events: readonly string[];
  /**
   * Stored in full, because it signs each delivery. Null when it was lost with its master key: the webhook is
   * inactive then.
   */
  readonly secret: string | null;
  /** Signs attempts too until it expires. Null without a rotation, and when it was lost with its master key. */
  readonly previousSecret: string | null;
  /** In epoch milliseconds. */
  readonly previousSecretExpiresAt: number | null;
  readonly description: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly active: boolean;
  /** Whose events it receives; `all` takes effect while the account is an active administrator. */
  readonly accounts: 'own' | 'all';
  /** Whether deliveries of other accounts may be left, although it receives only its own now. */
  readonly narrowed: boolean;
  /**
   * The grant of the app that made it or chose its URL, or the client that did so as its owner: the webhook ends with
   * it. The id stays after the grant or the client was removed.
   */
  readonly accessId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SubscribedEvent {
  readonly type: string;
  /** The scope that reads its resource. */
  readonly readScope: string;
  /** Null for an event of an instance. */
  readonly ownerId: string | null;
}

/** A webhook that receives an event. */
export interface Subscriber {
  readonly webhookId: string;
  /** The account of the webhook. */
  readonly userId: string;
}

const sortColumns = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

type StoredWebhook = Omit<WebhookRecord, 'secret' | 'previousSecret' | 'headers'> & {
  readonly secret: Uint8Array | null;
  readonly previousSecret: Uint8Array | null;
  readonly headers: Uint8Array | null;
};

const webhooks = new Table<StoredWebhook, typeof sortColumns>({
  name: 'webhooks',
  columns: `id, user_id, url, events, secret, previous_secret, previous_secret_expires_at, description, headers, metadata, active, accounts, narrowed,
    access_id, created_at, updated_at`,
  flags: ['active', 'narrowed'],
  json: ['events', 'metadata'],
  sortColumns,
});

const insertion = webhooks.insertionWith({
  instance_id: '(SELECT instance_id FROM users WHERE id = @userId)',
});

export function openSecret(sealer: Sealer, id: string, secret: Uint8Array): string {
  return sealer.open(secret, 'webhooks.secret', [id]).toString('utf8');
}

export function openPreviousSecret(
  sealer: Sealer,
  id: string,
  secret: Uint8Array | null,
): string | null {
  return secret && sealer.open(secret, 'webhooks.previous_secret', [id]).toString('utf8');
}

export function openHeaders(
  sealer: Sealer,
  id: string,
  headers: Uint8Array | null,
): WebhookRecord['headers'] {
  return headers && JSON.parse(sealer.open(headers, 'webhooks.headers', [id]).toString('utf8'));
}

export function webhookRepository(queries: Queries, sealer: Sealer) {
  function open(webhook: StoredWebhook): WebhookRecord {
    return {
      ...webhook,
      // Decrypted on access: lists do not need the secret.
      get secret() {
        return webhook.secret && openSecret(sealer, webhook.id, webhook.secret);
      },
      get previousSecret() {
        return openPreviousSecret(sealer, webhook.id, webhook.previousSecret);
      },
      get headers() {
        return openHeaders(sealer, webhook.id, webhook.headers);
      },
    };
  }

  function parametersOf(webhook: WebhookRecord): SqlParameters {
    const { id, secret, previousSecret, headers } = webhook;
    return webhooks.parametersOf({
      ...webhook,
      secret: secret === null ? null : sealer.seal(secret, 'webhooks.secret', [id]),
      previousSecret:
        previousSecret === null
          ? null
          : sealer.seal(previousSecret, 'webhooks.previous_secret', [id]),
      headers: headers && sealer.seal(JSON.stringify(headers), 'webhooks.headers', [id]),
    });
  }

  async function subscribe({ id, userId, events }: WebhookRecord): Promise<void> {
    await queries.run('DELETE FROM webhook_subscriptions WHERE webhook_id = @id', { id });
    await queries.run(
      `INSERT INTO webhook_subscriptions (event_type, user_id, webhook_id)
       SELECT value, @userId, @id FROM (${queries.dialect.elements('events')}) e`,
      { id, userId, events: JSON.stringify(events) },
    );
  }

  return {
    async insert(webhook: WebhookRecord) {
      await queries.run(insertion, parametersOf(webhook));
      await queries.run('INSERT INTO webhook_statistics (webhook_id) VALUES (@id)', {
        id: webhook.id,
      });
      await subscribe(webhook);
    },

    async find(id: string) {
      const found = await webhooks.find(queries, id);
      return found && open(found);
    },

    /** Returns the existing webhooks, in no order. */
    findMany: async (ids: readonly string[]) => (await webhooks.findMany(queries, ids)).map(open),

    async list(request: OwnedPageRequest<typeof sortColumns>) {
      const owned = matching({ user_id: request.userId });
      return mapRows(await webhooks.list(queries, request, owned), open);
    },

    /**
     * Updates everything except the owner and createdAt. Sets `narrowed` by the change of `accounts`, not by the
     * record.
     */
    async save(webhook: WebhookRecord) {
      await queries.run(
        `UPDATE webhooks SET url = @url, events = @events, secret = @secret, previous_secret = @previousSecret,
           previous_secret_expires_at = @previousSecretExpiresAt, description = @description, headers = @headers, metadata = @metadata, active = @active, access_id = @accessId, updated_at = @updatedAt,
           narrowed = CASE WHEN @accounts = 'all' THEN 0 WHEN accounts = 'all' THEN 1 ELSE narrowed END,
           accounts = @accounts
         WHERE id = @id`,
        parametersOf(webhook),
      );
      await subscribe(webhook);
    },

    /** Removes the webhook with its deliveries. */
    async delete(id: string) {
      await queries.run('DELETE FROM webhooks WHERE id = @id', { id });
    },

    /**
     * Returns the webhooks that receive such an event: those of the owner, without those of apps that may not read
     * it, and those of administrators that receive the events of all accounts. Inactive webhooks are included,
     * because their queue is only paused.
     */
    subscribers: ({ type, readScope, ownerId }: SubscribedEvent) =>
      queries.all<Subscriber>(
        `SELECT s.webhook_id AS "webhookId", s.user_id AS "userId"
         FROM webhook_subscriptions s JOIN webhooks w ON w.id = s.webhook_id
         WHERE s.event_type = @type AND s.user_id = @ownerId AND ${accessReads('w', '@readScope')}
         UNION ALL
         SELECT s.webhook_id, s.user_id FROM users u JOIN webhook_subscriptions s ON s.user_id = u.id
           JOIN webhooks w ON w.id = s.webhook_id
         WHERE u.role = 'admin' AND s.event_type = @type AND u.id IS DISTINCT FROM @ownerId
           AND w.accounts = 'all' AND w.access_id IS NULL`,
        { type, readScope, ownerId },
      ),

    /**
     * Removes deliveries of other accounts from a webhook that does not receive them any more.
     *
     * @returns their number, or `limit` when other webhooks may have some
     */
    async removeDeliveriesOfOthers(limit: number) {
      const [narrowed] = await queries.all<{ id: string }>(
        `SELECT id FROM webhooks WHERE narrowed = 1 ORDER BY id LIMIT 1 ${queries.dialect.lockFree()}`,
      );
      if (!narrowed) return 0;
      const removed = await queries.run(
        `DELETE FROM deliveries WHERE id IN (
           SELECT id FROM deliveries WHERE webhook_id = @id AND of_other = 1 ORDER BY id LIMIT @limit
         )`,
        { id: narrowed.id, limit },
      );
      if (removed === limit) return removed;
      await queries.run('UPDATE webhooks SET narrowed = 0 WHERE id = @id', { id: narrowed.id });
      // Another webhook may be marked.
      return limit;
    },
  };
}
