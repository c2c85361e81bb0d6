import { expect, test } from 'vitest';
import { retentionSteps } from '../../src/domain/sweeper.ts';
import { databaseContents } from '../../src/store/contents/in-database.ts';
import { openDatabase, roomy } from '../support/delivery/database.ts';
import { documentRecord, vaultRecord } from '../support/store/records.ts';
import { chunked, contentError, contentsSuite, someBytes } from './contents.suite.ts';

async function open() {
  const database = await openDatabase();
  const { store, clock, driver } = database;
  const steps = retentionSteps({ store, clock, limits: roomy, grace: 0 });
  return {
    ...database,
    contents: databaseContents({ store, clock }),
    async sweep() {
      for (const { sweep } of steps) while ((await sweep(100)) >= 100) {}
    },
    async storedBytes() {
      const sql =
        '/* all rows */ SELECT COALESCE(SUM(LENGTH(data)), 0) AS bytes FROM document_contents';
      return (await driver.reader.get<{ bytes: number }>(sql))?.bytes ?? -1;
    },
  };
}

// More than one transaction writes.
contentsSuite('The database', open, 5 * 1024 * 1024);

const id = 'document';
const partBytes = 8 * 1024 * 1024;

/** Opens a content, and begins a part whose process is killed after 4 MiB. */
async function openWithKilledPart() {
  const opened = await open();
  const { contents, store, clock } = opened;
  const until = clock.now() + 24 * 3_600_000;
  await store.transaction((tx) =>
    contents.begin(tx, { id, sizeBytes: partBytes, partBytes, until }),
  );
  const attempt = await store.transaction((tx) =>
    tx.contents.beginPart({ id, part: 0, sizeBytes: partBytes, now: clock.now() }),
  );
  const bytes = someBytes(2 * 1024 * 1024);
  for (const from of [0, bytes.length]) {
    const position = { from, now: clock.now() };
    await store.transaction((tx) => tx.contents.appendPieces(attempt, bytes, position));
  }
  return opened;
}

test('an 8 MiB part is written in transactions of at most 2 MiB', async () => {
  const { contents, store, clock, driver, close } = await open();
  const until = clock.now() + 1000;
  await store.transaction((tx) =>
    contents.begin(tx, { id, sizeBytes: partBytes, partBytes, until }),
  );
  const before = driver.statistics.transactions;
  await contents.writePart({ id, part: 0, bytes: partBytes }, chunked(someBytes(partBytes), 1000));
  // The first one begins the attempt, and the last one accepts the part.
  expect(driver.statistics.transactions - before).toBe(4);
  await close();
});

test('an attempt whose process was killed does not count, and is erased a day later', async () => {
  const { contents, store, clock, sweep, storedBytes, close } = await openWithKilledPart();
  expect(await contents.parts(store, id)).toEqual([]);
  const bytes = someBytes(partBytes);
  const accepted = await contents.writePart({ id, part: 0, bytes: partBytes }, chunked(bytes));
  expect(accepted.isFirst).toBe(true);
  const ready = await contents.complete({ id, sizeBytes: partBytes, partBytes });
  const vault = vaultRecord({ owner: { userId: 'user', instanceId: 'instance' } }, 'vault');
  await store.transaction(async (tx) => {
    const content = await contents.take(tx, ready);
    await tx.documents.insert(documentRecord(vault, { id, sizeBytes: partBytes, content }));
  });
  await sweep();
  expect(await storedBytes()).toBe(12 * 1024 * 1024);
  clock.advance(25 * 3_600_000);
  await sweep();
  expect(await storedBytes()).toBe(partBytes);
  await close();
});

test('an attempt that the sweep has erased can neither be continued nor accepted', async () => {
  const { store, clock, sweep, storedBytes, close } = await openWithKilledPart();
  const attempt = { attempt: 1, id, part: 0 };
  clock.advance(25 * 3_600_000);
  await sweep();
  const position = { from: 4 * 1024 * 1024, now: clock.now() };
  const continued = store.transaction((tx) =>
    tx.contents.appendPieces(attempt, Buffer.alloc(1), position),
  );
  await expect(continued).rejects.toEqual(contentError('CONTENT_NOT_PENDING'));
  const accepted = store.transaction((tx) => tx.contents.acceptPart(attempt, Buffer.alloc(32)));
  await expect(accepted).rejects.toEqual(contentError('CONTENT_NOT_PENDING'));
  expect(await storedBytes()).toBe(0);
  await close();
});

test('reading fails with CONTENT_DAMAGED when a piece is missing', async () => {
  const { contents, store, owner, driver, close } = await open();
  const vault = vaultRecord({ owner }, 'vault');
  const bytes = someBytes(300_000);
  const document = await store.transaction(async (tx) => {
    await tx.vaults.insert(vault);
    const content = await contents.take(tx, contents.hold(id, bytes));
    const document = documentRecord(vault, { id, sizeBytes: bytes.length, content });
    await tx.documents.insert(document);
    return document;
  });
  await driver.transaction((queries) =>
    queries.run('DELETE FROM document_contents WHERE piece = 1'),
  );
  const pieces = await contents.read(document, { from: 0, to: bytes.length });
  const read = async () => {
    let count = 0;
    for await (const piece of pieces) count += piece.length;
    return count;
  };
  await expect(read()).rejects.toEqual(contentError('CONTENT_DAMAGED'));
  await close();
});
