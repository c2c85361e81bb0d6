import { describe, expect, test } from 'vitest';
import { createCredentialCache } from '../src/domain/accounts/auth.ts';

interface Holder {
  readonly userId: string;
  readonly revokedAt: number | null;
}

const holder: Holder = { userId: 'user-1', revokedAt: null };

/** A store of one credential that counts its look-ups. */
function storeAt(revision: number | undefined) {
  const store = {
    revision,
    lookups: 0,
    stored: holder as Holder | undefined,
    /** Runs after the row was read and before the reader continues. */
    meanwhile: () => undefined as unknown,
    async find() {
      store.lookups += 1;
      const { stored } = store;
      store.meanwhile();
      return stored;
    },
  };
  return store;
}

describe('the holder of a credential', () => {
  test('is looked up once as long as nothing is committed', async () => {
    const store = storeAt(1);
    const find = createCredentialCache(store, store.find);
    expect(await find('credential')).toEqual(holder);
    expect(await find('credential')).toEqual(holder);
    expect(store.lookups).toBe(1);
  });

  test('is looked up again after a commit', async () => {
    const store = storeAt(1);
    const find = createCredentialCache(store, store.find);
    await find('credential');
    store.revision = 2;
    store.stored = undefined;
    expect(await find('credential')).toBeUndefined();
    expect(store.lookups).toBe(2);
  });

  test('is not remembered past a commit that came during the look-up', async () => {
    const store = storeAt(1);
    const find = createCredentialCache(store, store.find);
    store.meanwhile = () => {
      store.revision = 2;
      store.stored = { ...holder, revokedAt: 1 };
    };
    await find('credential');
    store.meanwhile = () => undefined;
    expect(await find('credential')).toMatchObject({ revokedAt: 1 });
  });

  test('differs by credential, and is undefined for an unknown credential', async () => {
    const store = storeAt(1);
    const find = createCredentialCache(store, store.find);
    await find('credential');
    store.stored = undefined;
    expect(await find('another')).toBeUndefined();
    store.stored = holder;
    expect(await find('another')).toEqual(holder);
  });

  test('is looked up for every request when the store has no revision', async () => {
    const store = storeAt(undefined);
    const find = createCredentialCache(store, store.find);
    await find('credential');
    await find('credential');
    expect(store.lookups).toBe(2);
  });
});
