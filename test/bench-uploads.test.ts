import { expect, test } from 'vitest';
import type { Transfer } from '../bench/uploads/large.ts';
import { judgeUploads, transferTable } from '../bench/uploads/report.ts';

const mebibyte = 2 ** 20;

function transfer(changes: Partial<Transfer> = {}): Transfer {
  const usage = { idle: 100 * mebibyte, peak: 150 * mebibyte, processorSeconds: 1 };
  const figures = { seconds: 2, client: usage, server: usage, waits: [1, 20, 3] };
  return { ...figures, objectsSeconds: undefined, ...changes };
}

function figures(upload: Transfer) {
  const sink = { upload: transfer(), download: transfer() };
  return {
    size: 1024 * mebibyte,
    sink,
    objects: undefined,
    stores: { database: { upload, download: transfer() } },
  };
}

const missed = (upload: Transfer) =>
  judgeUploads(figures(upload))
    .filter(({ met }) => !met)
    .map(({ name, reached }) => [name.replace(/.*: /, ''), reached]);

test('transfers like those of the bare server meet all targets', () => {
  const judgements = judgeUploads(figures(transfer()));
  expect(judgements).toHaveLength(8);
  expect(missed(transfer())).toEqual([]);
});

test('each figure beyond its target is not met', () => {
  const large = { idle: 100 * mebibyte, peak: 197 * mebibyte, processorSeconds: 1 };
  expect(missed(transfer({ server: large }))).toEqual([
    ['memory of the server above idle in MiB', 97],
  ]);
  expect(missed(transfer({ client: large }))).toEqual([
    ['memory of the client above idle in MiB', 97],
  ]);
  expect(missed(transfer({ waits: [5, 101] }))).toEqual([
    ['longest wait of a small request in ms', 101],
  ]);
});

test('throughput is judged by processor time, with the rate by the clock beside it', () => {
  const busy = { idle: 0, peak: 0, processorSeconds: 4 };
  const rate = (upload: Transfer) =>
    judgeUploads(figures(upload)).find(({ name }) => name.includes('bytes/s'));
  expect(rate(transfer({ seconds: 5 }))).toMatchObject({
    reached: 0.4,
    byProcessor: 1,
    met: true,
  });
  expect(rate(transfer({ client: busy }))).toMatchObject({
    reached: 1,
    byProcessor: 0.4,
    met: false,
  });
});

test('contents in S3 are judged against the object store without a vault too', () => {
  const objects = { upload: transfer({ seconds: 1 }), download: transfer({ seconds: 1 }) };
  const s3 = { upload: transfer({ seconds: 2.5 }), download: transfer() };
  const judgements = judgeUploads({ ...figures(transfer()), objects, stores: { s3 } });
  expect(judgements).toHaveLength(10);
  const missing = judgements.filter(({ met }) => !met).map(({ name, reached }) => [name, reached]);
  expect(missing).toEqual([
    ['upload, vault, contents in S3: bytes/s × those of the object store without a vault', 0.4],
  ]);
});

test('the table of transfers has the rate, processor time and memory of each process', () => {
  const { stores, ...others } = figures(transfer({ seconds: 4 }));
  const objects = { upload: transfer({ seconds: 8 }), download: transfer() };
  const s3 = { upload: transfer({ objectsSeconds: 12 }), download: transfer() };
  const rows = transferTable({ ...others, objects, stores: { ...stores, s3 } }).split('\n');
  expect(rows).toContainEqual(
    expect.stringMatching(/^upload: vault, contents in S3 .* 12\.00 +20$/),
  );
  expect(rows).toContainEqual(expect.stringMatching(/^upload: bare node:http +512 /));
  expect(rows).toContainEqual(
    expect.stringMatching(/^upload: the object store without a vault +128 /),
  );
  expect(rows).toContainEqual(
    expect.stringMatching(
      /^upload: vault, contents in the database +256 +1\.00 +100 +50 +1\.00 +100 +50 +20$/,
    ),
  );
});
