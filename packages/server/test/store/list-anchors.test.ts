import { describe, expect, test } from 'vitest';
import type { Queries } from '../../src/store/driver.ts';
import { AnchorCache, fineLimit, type Ordered } from '../../src/store/lists/anchors.ts';

const list: Ordered = {
  table: 'vaults',
  where: [],
  parameters: {},
  orderBy: 'created_at',
  direction: 'asc',
};

/** A list of numbered rows, which counts its statements and the longest way through them. */
function listOf(length: number) {
  const seen = { statements: 0, skipped: 0 };
  const get = async (_sql: string, { fromValue = 0, offset = 0 }: Record<string, unknown> = {}) => {
    seen.statements += 1;
    seen.skipped = Math.max(seen.skipped, Number(offset));
    const value = Number(fromValue) + Number(offset) + 1;
    return value > length ? undefined : { value, key: value };
  };
  return { seen, queries: { get } as unknown as Queries };
}

describe('anchors of a long list', () => {
  test('a page starts at most 99 rows after an anchor, which is read once', async () => {
    const { seen, queries } = listOf(10_000);
    const anchors = new AnchorCache().of(1);
    for (const offset of [100, 180, 980, 4980, 5000, 9999]) {
      const first = await anchors.near(queries, list, offset);
      expect(first.passed).toBe(offset - (offset % 100));
      expect(first.parameters).toMatchObject({ fromValue: first.passed, fromKey: first.passed });
      const { statements } = seen;
      expect(await anchors.near(queries, list, offset)).toEqual(first);
      expect(seen.statements).toBe(statements);
    }
    expect(seen.skipped).toBeLessThan(1000);
  });

  test('the first 100 rows need no anchor', async () => {
    const { seen, queries } = listOf(10_000);
    expect(await new AnchorCache().of(1).near(queries, list, 99)).toMatchObject({ passed: 0 });
    expect(seen.statements).toBe(0);
  });

  test('a list that became shorter starts at its last anchor', async () => {
    const { queries } = listOf(1_050);
    const tail = await new AnchorCache().of(1).near(queries, list, 3_980);
    expect(tail).toMatchObject({ passed: 1_000, parameters: { fromValue: 1_000 } });
  });

  test('another revision of the list reads its anchors again', async () => {
    const { seen, queries } = listOf(10_000);
    const cache = new AnchorCache();
    await cache.of(1).near(queries, list, 2_500);
    const { statements } = seen;
    await cache.of(2).near(queries, list, 2_500);
    expect(seen.statements).toBe(2 * statements);
  });

  test('a list keeps at most 200 fine anchors', async () => {
    const { seen, queries } = listOf(100_000);
    const anchors = new AnchorCache().of(1);
    expect(fineLimit).toBe(200);
    let offset = 0;
    for (let count = 0; count <= fineLimit; count += 1) {
      offset += offset % 1000 === 900 ? 200 : 100;
      await anchors.near(queries, list, offset);
    }
    const { statements } = seen;
    await anchors.near(queries, list, 200);
    expect(seen.statements).toBe(statements);
    await anchors.near(queries, list, 100);
    expect(seen.statements).toBe(statements + 1);
  });
});
