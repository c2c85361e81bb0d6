import { expect, test } from 'vitest';
import { createHistoryRecording, InstanceActivity } from '../../src/domain/instances/history.ts';
import { CommitUnknownError } from '../../src/store/store-errors.ts';
import { openDatabase } from '../support/delivery/database.ts';

const hour = 60 * 60 * 1000;

const isOutcomeUnknown = (error: unknown) => error instanceof CommitUnknownError;

test('records of several servers add up, also of an hour that has just ended', async () => {
  const { store, clock, owner, close } = await openDatabase();
  const { instanceId } = owner;
  const start = clock.now();
  const servers = [1, 2, 3].map(() => {
    const activity = new InstanceActivity(clock);
    return {
      activity,
      record: createHistoryRecording({ store, clock, activity, isOutcomeUnknown }),
    };
  });
  const requests = (count: number) => {
    for (const { activity } of servers) {
      for (let each = 0; each < count; each += 1) activity.request(instanceId);
    }
  };
  requests(5);
  await Promise.all(servers.map(({ record }) => record()));
  requests(1);
  clock.advance(hour);
  requests(2);
  await Promise.all(servers.map(({ record }) => record()));
  await Promise.all(servers.map(({ record }) => record()));
  const records = await store.instanceHistory.between({ instanceId, from: 0, to: start + day });
  expect(records.map((each) => [each.hour, each.requests])).toEqual([
    [start, 18],
    [start + hour, 6],
  ]);
  await close();
});

const day = 24 * hour;

test('counts that the store refuses are recorded later', async () => {
  const { store, clock, owner, close } = await openDatabase();
  const { instanceId } = owner;
  const activity = new InstanceActivity(clock);
  let isRefusing = true;
  const refusing: typeof store = {
    ...store,
    transaction: async (work) => {
      if (isRefusing) throw new Error('the disk is full');
      return store.transaction(work);
    },
  };
  const record = createHistoryRecording({ store: refusing, clock, activity, isOutcomeUnknown });
  activity.request(instanceId);
  await expect(record()).rejects.toThrow('the disk is full');
  activity.request(instanceId);
  isRefusing = false;
  await record();
  const to = clock.now() + hour;
  const records = await store.instanceHistory.between({ instanceId, from: 0, to });
  expect(records).toMatchObject([{ requests: 2 }]);
  await close();
});

test('counts are recorded once when the outcome of their commit is unknown', async () => {
  const { store, clock, owner, close } = await openDatabase();
  const { instanceId } = owner;
  const activity = new InstanceActivity(clock);
  const lossy: typeof store = {
    ...store,
    async transaction(work) {
      await store.transaction(work);
      throw new CommitUnknownError({});
    },
  };
  const options = { clock, activity, isOutcomeUnknown };
  activity.request(instanceId);
  await expect(createHistoryRecording({ store: lossy, ...options })()).rejects.toThrow('unknown');
  activity.request(instanceId);
  await createHistoryRecording({ store, ...options })();
  const to = clock.now() + hour;
  const records = await store.instanceHistory.between({ instanceId, from: 0, to });
  expect(records).toMatchObject([{ requests: 2 }]);
  await close();
});

test('a record of an unknown instance is dropped, and the others are stored', async () => {
  const { store, clock, owner, close } = await openDatabase();
  const activity = new InstanceActivity(clock);
  activity.request('deleted');
  activity.request(owner.instanceId);
  await createHistoryRecording({ store, clock, activity, isOutcomeUnknown })();
  const to = clock.now() + hour;
  const { instanceId } = owner;
  expect(await store.instanceHistory.between({ instanceId, from: 0, to })).toMatchObject([
    { requests: 1 },
  ]);
  await close();
});
