import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { readScopeOf } from '../../src/generated/rules/scopes.ts';
import { readScope } from '../../src/store/rows/webhooks/delivery-rights.ts';
import { everyType } from '../support/webhook-events.ts';

test('the scope that reads an event is the same in SQL', () => {
  const database = new Database(':memory:');
  onTestFinished(() => void database.close());
  const select = database.prepare(`SELECT ${readScope} FROM (SELECT ? AS event_type) d`).pluck();
  for (const type of everyType) expect(select.get(type), type).toBe(readScopeOf(type));
});
