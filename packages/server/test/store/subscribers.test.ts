import { expect, test } from 'vitest';
import { webhookRepository } from '../../src/store/rows/webhooks/webhooks.ts';
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
    const event = {
      type: 'vault.created',
      readScope: 'vaults:read',
      ownerId: database.owner.userId,
    };
    expect(await subscribers(event)).toEqual([{ webhookId, userId: database.owner.userId }]);
    expect(await subscribers({ ...event, ownerId: 'another-account' })).toEqual([]);
    expect(await subscribers({ ...event, type: 'vault.deleted' })).toEqual([]);
    expect(steps).toContain('SEARCH s USING PRIMARY KEY (event_type=? AND user_id=?)');
    expect(steps.join()).not.toContain('SCAN webhook');
    await database.close();
  },
);
