import { createHash } from 'node:crypto';
import { outcomeOf } from '../../src/delivery/schedule.ts';
import { TestClock } from '../../src/lib/clock.ts';
import { createIds } from '../../src/lib/ids.ts';
import { plainSealer } from '../../src/store/sealing.ts';
import { createStore, type Repositories } from '../../src/store/store.ts';
import { roomy } from '../support/delivery/database.ts';
import { openTestDriver } from '../support/store/driver.ts';
import { contentOf, insertDocument } from '../support/store/records.ts';

const hour = 3_600_000;

/** Counts the shares that can still be opened, from the rows of shares, documents and vaults. */
const activeShares = `SELECT i.id AS "instanceId", (
    SELECT COUNT(*) FROM shares s JOIN users u ON u.id = s.user_id
      JOIN documents d ON d.id = s.document_id JOIN vaults v ON v.id = d.vault_id
    WHERE u.instance_id = i.id AND s.is_active = 1 AND s.expires_at > @now
      AND (s.max_access_count IS NULL OR s.access_count < s.max_access_count)
  ) AS "activeShares" FROM instances i ORDER BY i.created_at, i.id`;

/** Opens a store with two instances, and every kind of change that affects their statistics. */
export async function openFigures() {
  const clock = new TestClock();
  const ids = createIds(clock);
  const driver = await openTestDriver(clock);
  const store = createStore(driver, plainSealer);
  const times = () => ({ createdAt: clock.now(), updatedAt: clock.now() });
  const execute = (sql: string, parameters = {}) =>
    driver.transaction((queries) => queries.run(sql, parameters));

  /** Returns the id of a row. `pick` chooses the row. */
  async function chosen(table: string, pick: number): Promise<string | undefined> {
    const kept = table === 'documents' ? 'WHERE vault_id IN (SELECT id FROM vaults)' : '';
    const rows = await driver.reader.all<{ id: string }>(
      `SELECT id FROM ${table} ${kept} ORDER BY id`,
    );
    return rows[pick % rows.length]?.id;
  }

  async function addInstance(name: string): Promise<void> {
    await store.transaction((tx) =>
      tx.instances.insert({
        id: ids.resource(),
        name,
        region: 'r',
        version: '1',
        status: 'healthy',
        isActive: true,
        quotaBytes: 1,
        usedBytes: 0,
        ...times(),
      }),
    );
  }

  async function addAccount(instanceId: string): Promise<void> {
    const id = ids.resource();
    await store.transaction((tx) =>
      tx.users.insert({
        id,
        email: `${id}@example.com`,
        name: 'n',
        passwordHash: '-',
        role: 'user',
        tier: 'free',
        status: 'active',
        instanceId,
        ...times(),
      }),
    );
  }

  const inserts = (tx: Repositories) => ({
    async vault(userId: string) {
      const user = await tx.users.find(userId);
      await tx.vaults.insert({
        id: ids.resource(),
        userId,
        instanceId: user?.instanceId ?? '',
        name: 'v',
        description: null,
        category: null,
        isActive: true,
        documentCount: 0,
        totalSize: 0,
        ...times(),
      });
    },
    async document(vaultId: string) {
      const vault = await tx.vaults.find(vaultId);
      const now = clock.now();
      const document = {
        id: ids.resource(),
        vaultId,
        userId: vault?.userId ?? '',
        fileName: 'f',
        mimeType: 'a/b',
        sizeBytes: 1,
        encryptionMetadata: {},
        content: contentOf(Buffer.alloc(1)),
        uploadedAt: now,
        updatedAt: now,
      };
      await insertDocument(tx, document, Buffer.alloc(1));
    },
    async share(documentId: string, maxAccessCount: number | null) {
      const document = await tx.documents.find(documentId);
      const id = ids.resource();
      await tx.shares.insert(
        {
          id,
          documentId,
          userId: document?.userId ?? '',
          permissions: ['read'],
          access: 'anyone',
          expiresAt: clock.now() + hour,
          maxAccessCount,
          accessCount: 0,
          accessId: null,
          isActive: true,
          createdAt: clock.now(),
        },
        tokenHash(id),
      );
    },
    async webhook(userId: string) {
      await tx.webhooks.insert({
        id: ids.resource(),
        userId,
        url: 'http://127.0.0.1:9/',
        events: ['vault.created'],
        secret: 's',
        previousSecret: null,
        previousSecretExpiresAt: null,
        description: null,
        headers: null,
        accessId: null,
        metadata: null,
        narrowed: false,
        accounts: 'own',
        active: true,
        ...times(),
      });
    },
    async delivery(webhookId: string, test: boolean) {
      const createdAt = clock.now();
      const eventId = ids.prefixed('evt');
      const webhook = await tx.webhooks.find(webhookId);
      const user = await tx.users.find(webhook?.userId ?? '');
      const instanceId = user?.instanceId ?? '';
      const eventType = 'vault.created';
      const event = { id: eventId, type: eventType, userId: null, instanceId, body: '{}' };
      await tx.events.insert({ ...event, test });
      const id = ids.prefixed('dlv');
      await tx.deliveries.insert([{ id, webhookId, eventId, eventType, test, createdAt }], roomy);
    },
  });

  /** Records an attempt of the delivery that is due first. `pick` chooses the outcome. */
  async function attempt(pick: number): Promise<void> {
    await store.transaction(async ({ deliveries }) => {
      const now = clock.now();
      const [queue] = (await deliveries.queues()).filter(({ dueAt }) => dueAt <= now);
      const [first] = queue ? await deliveries.first(queue.webhookId, 1) : [];
      const delivery = first && (await deliveries.findQueued([first.id])).get(first.id);
      if (!delivery) return;
      const error = pick % 3 === 0 ? null : 'no';
      const attempt = { startedAt: now, statusCode: 200, durationMs: 1, error, responseBody: '' };
      const delays = pick % 3 === 1 ? [] : Array<number>(delivery.attemptNumber + 1).fill(1);
      const outcome = outcomeOf({ delivery, attempt, endedAt: now }, delays);
      await deliveries.recordAttempts([{ delivery, attempt, outcome }]);
    });
  }

  /** By kind: the table of the chosen row, and the change. */
  const steps: Readonly<Record<string, [string, (id: string, pick: number) => Promise<unknown>]>> =
    {
      account: ['instances', addAccount],
      vault: ['users', (id) => store.transaction((tx) => inserts(tx).vault(id))],
      webhook: ['users', (id) => store.transaction((tx) => inserts(tx).webhook(id))],
      document: ['vaults', (id) => store.transaction((tx) => inserts(tx).document(id))],
      share: ['documents', (id) => store.transaction((tx) => inserts(tx).share(id, null))],
      cappedShare: [
        'documents',
        (id, pick) => store.transaction((tx) => inserts(tx).share(id, 1 + (pick % 2))),
      ],
      open: [
        'shares',
        (id) =>
          store.transaction((tx) =>
            tx.shares.countAccess({
              tokenHash: tokenHash(id),
              now: clock.now(),
              authenticated: false,
            }),
          ),
      ],
      event: [
        'webhooks',
        (id, pick) => store.transaction((tx) => inserts(tx).delivery(id, pick % 4 === 0)),
      ],
      revoke: ['shares', (id) => store.transaction((tx) => tx.shares.revoke(id))],
      retry: [
        'deliveries',
        (id) =>
          store.transaction(async (tx) => {
            const delivery = await tx.deliveryLog.find(id);
            if (delivery && !delivery.test) await tx.deliveries.retry(delivery, clock.now());
          }),
      ],
      deleteDocument: ['documents', (id) => store.transaction((tx) => tx.documents.delete(id))],
      deleteVault: ['vaults', (id) => store.transaction((tx) => tx.vaults.delete(id))],
      deleteWebhook: ['webhooks', (id) => store.transaction((tx) => tx.webhooks.delete(id))],
      deleteAccount: ['users', (id) => execute('DELETE FROM users WHERE id = @id', { id })],
      deleteEvent: ['events', (id) => execute('DELETE FROM events WHERE id = @id', { id })],
      deleteShare: ['shares', (id) => execute('DELETE FROM shares WHERE id = @id', { id })],
      deleteDeliveries: [
        'webhooks',
        (id) => execute('DELETE FROM deliveries WHERE webhook_id = @id', { id }),
      ],
    };

  await addInstance('first');
  await addInstance('second');

  return {
    /** Runs a step if its table has a row. */
    async take(kind: string, pick: number): Promise<void> {
      if (kind === 'attempt') await attempt(pick);
      if (kind === 'erase') await store.transaction((tx) => tx.erasures.eraseDocuments(2));
      if (kind === 'wait') clock.advance(hour / 2);
      if (kind === 'sweep') {
        const now = clock.now();
        await execute('UPDATE shares SET is_active = 0 WHERE expires_at <= @now', { now });
      }
      const step = steps[kind];
      const id = step && (await chosen(step[0], pick));
      if (id !== undefined) await step?.[1](id, pick);
    },
    async activeShares() {
      const figures = await store.instances.figures({
        instanceId: null,
        userId: null,
        now: clock.now(),
      });
      return figures.map(({ instanceId, activeShares }) => ({ instanceId, activeShares }));
    },
    countActiveShares: () => driver.reader.all(activeShares, { now: clock.now() }),
    reader: driver.reader,
    close: () => driver.close(),
  };
}

function tokenHash(shareId: string): Uint8Array {
  return createHash('sha256').update(shareId).digest();
}
