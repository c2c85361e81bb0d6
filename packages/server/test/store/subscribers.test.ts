import { expect, test } from 'vitest';
import { webhookRepository } from '../../src/store/repositories/webhooks.ts';
import { plainSealer } from '../../src/store/sealing.ts';
import { openDatabase } from '../support/delivery/database.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import { explaining } from '../support/store/explaining.ts';

test.skipIf(testsPostgres)(
  'webhooks.subscribers reads the index per event type and account, never all webhooks',
  async () => {
    const database = await openDatabase();
    const webhookId = await database.addWebhook();
    const steps: string[] = [];
    const { subscribers } = webhookRepository(
      explaining(database.driver.reader, steps),
      plainSealer,
    );
    expect(await subscribers('vault.created', database.owner.userId)).toEqual([
      { webhookId, userId: database.owner.userId },
    ]);
    expect(await subscribers('vault.created', 'another-account')).toEqual([]);
    expect(await subscribers('vault.deleted', database.owner.userId)).toEqual([]);
    expect(steps).toContain(
      'SEARCH webhook_subscriptions USING PRIMARY KEY (event_type=? AND user_id=?)',
    );
    expect(steps.join()).not.toContain('SCAN webhook');
    await database.close();
  },
);
