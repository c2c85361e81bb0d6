import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { InstanceLedger, InstanceTotals } from '../../src/store/instance-totals.ts';
import { instanceRepository } from '../../src/store/rows/instance/instances.ts';
import { deliveryRepository } from '../../src/store/rows/webhooks/deliveries.ts';
import { plainSealer } from '../../src/store/sealing.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import { counterProblems } from '../support/store/counters.ts';
import { explaining } from '../support/store/explaining.ts';
import { openFigures } from './figures-database.ts';

const growing = [
  'account',
  'vault',
  'document',
  'share',
  'cappedShare',
  'open',
  'webhook',
  'event',
  'attempt',
];
const shrinking = [
  'revoke',
  'sweep',
  'wait',
  'retry',
  'deleteDocument',
  'deleteShare',
  'deleteVault',
  'erase',
  'deleteWebhook',
  'deleteDeliveries',
  'deleteEvent',
  'deleteAccount',
];

/** Kinds of change, each with a number that chooses one of the existing rows. */
const sequences = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...growing) },
      { weight: 1, arbitrary: fc.constantFrom(...shrinking) },
    ),
    fc.nat(50),
  ),
  { minLength: 10, maxLength: 60 },
);

/** Creates rows, so that every kind of change finds one. */
const opening = [...growing, ...growing, ...growing].map((kind, index): [string, number] => [
  kind,
  index,
]);

test('instance statistics equal a recount after any sequence of changes', async () => {
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      const database = await openFigures();
      try {
        for (const [kind, pick] of [...opening, ...sequence]) {
          await database.take(kind, pick);
          const counted = await database.countActiveShares();
          expect(await database.activeShares(), kind).toEqual(counted);
        }
        expect(await counterProblems(database.reader)).toEqual([]);
      } finally {
        await database.close();
      }
    }),
    { numRuns: 12 },
  );
});

test.skipIf(testsPostgres)(
  'instance statistics and backlog are read without scanning a growing table',
  async () => {
    const { reader, close } = await openFigures();
    onTestFinished(close);
    const plans: string[] = [];
    const queries = explaining(reader, plans);
    const ledger = new InstanceLedger(new InstanceTotals(() => 0, queries));
    const { figures } = instanceRepository(queries, ledger);
    await figures({ instanceId: null, userId: null, now: 0 });
    await figures({ instanceId: 'one', userId: 'ada', now: 0 });
    await deliveryRepository(queries, plainSealer).queues();
    const steps = plans.join('\n');
    expect(steps).toMatch(/SEARCH shares USING INDEX shares_by_expiry/);
    expect(steps).toMatch(/SEARCH deliveries USING COVERING INDEX deliveries_due/);
    expect(steps).not.toMatch(/SCAN (shares|deliveries|webhooks|w|vaults|documents)\b/);
  },
);
