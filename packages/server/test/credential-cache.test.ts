import { describe, expect, test } from 'vitest';
import { createCredentialCache } from '../src/domain/accounts/auth.ts';

interface Holder {
  readonly userId: string;
  readonly revokedAt: number | null;
}

const holder: Holder = { userId: 'user-1', revokedAt: null };

/** A store of one credential that counts its lookups. */
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

describe('credential cache', () => {
  test('reads a credential once while the revision of the store is the same', async () => {
    const store = storeAt(1);
    const find = createCredentialCache(store, store.find);
    expect(await find('credential')).toEqual(holder);
    expect(await find('credential')).toEqual(holder);
    expect(store.lookups).toBe(1);
  });

  test('reads a credential again after a commit', async () => {
    const store = storeAt(1);
    const find = createCredentialCache(store, store.find);
    await find('credential');
    store.revision = 2;
    store.stored = undefined;
    expect(await find('credential')).toBeUndefined();
    expect(store.lookups).toBe(2);
  });

  test('does not keep a credential when a commit happens during its lookup', async () => {
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

  test('keeps each credential separately, and does not keep unknown ones', async () => {
    const store = storeAt(1);
    const find = createCredentialCache(store, store.find);
    await find('credential');
    store.stored = undefined;
    expect(await find('another')).toBeUndefined();
    store.stored = holder;
    expect(await find('another')).toEqual(holder);
  });

  test('reads the credential every time when the store has no revision', async () => {
    const store = storeAt(undefined);
    const find = createCredentialCache(store, store.find);
    await find('credential');
    await find('credential');
    expect(store.lookups).toBe(2);
  });
});
