import { expect, test } from 'vitest';
import { openDatabase } from '../support/delivery/database.ts';

test('loginPlaces.note keeps the last 100 networks of an account', async () => {
  const { store, driver, close } = await openDatabase();
  const userId = (await driver.reader.get<{ id: string }>('SELECT id FROM users'))?.id ?? '';
  const note = (number: number, now: number) =>
    store.transaction((tx) => tx.loginPlaces.note(userId, `203.0.113.${number}`, now));
  for (let number = 0; number < 100; number += 1) await note(number, number);
  await note(0, 100);
  await note(100, 101);
  const known = (number: number) => store.loginPlaces.isKnown(userId, `203.0.113.${number}`);
  expect([await known(0), await known(1), await known(2), await known(100)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
  const rows = await driver.reader.get('SELECT COUNT(*) AS n FROM login_places');
  expect(rows).toEqual({ n: 100 });
  expect(await store.loginPlaces.isKnown('another account', '203.0.113.0')).toBe(false);
  await close();
});
