import { describe, expect, test } from 'vitest';
import { createKeyHolders } from '../src/domain/key-holders.ts';
import type { ApiKeyHolder, ApiKeys } from '../src/store/api-keys.ts';

const holder: ApiKeyHolder = {
  keyId: 'key_1',
  userId: 'user-1',
  name: 'Key',
  scopes: ['vaults:read'],
  prefix: 'service_sk_abcd',
  createdAt: 0,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  email: 'ada@example.com',
  role: 'user',
  tier: 'free',
  status: 'active',
  instanceId: 'instance-1',
};

/** A store of one key, that counts how often it is asked. */
function storeAt(revision: number | undefined) {
  const store = {
    revision,
    lookups: 0,
    stored: holder as ApiKeyHolder | undefined,
    /** Happens after the row was read and before its reader goes on. */
    meanwhile: () => undefined as unknown,
    apiKeys: {
      async findHolder() {
        store.lookups += 1;
        const { stored } = store;
        store.meanwhile();
        return stored;
      },
    } as unknown as ApiKeys,
  };
  return store;
}

describe('the holder of a key', () => {
  test('is looked up once as long as nothing is committed', async () => {
    const store = storeAt(1);
    const find = createKeyHolders(store);
    expect(await find('key')).toEqual(holder);
    expect(await find('key')).toEqual(holder);
    expect(store.lookups).toBe(1);
  });

  test('is looked up again after a commit', async () => {
    const store = storeAt(1);
    const find = createKeyHolders(store);
    await find('key');
    store.revision = 2;
    store.stored = undefined;
    expect(await find('key')).toBeUndefined();
    expect(store.lookups).toBe(2);
  });

  test('is not remembered past a commit that came during the look-up', async () => {
    const store = storeAt(1);
    const find = createKeyHolders(store);
    store.meanwhile = () => {
      store.revision = 2;
      store.stored = { ...holder, revokedAt: 1 };
    };
    await find('key');
    store.meanwhile = () => undefined;
    expect(await find('key')).toMatchObject({ revokedAt: 1 });
  });

  test('is another one for another key, and none for a key that nobody has', async () => {
    const store = storeAt(1);
    const find = createKeyHolders(store);
    await find('key');
    store.stored = undefined;
    expect(await find('another')).toBeUndefined();
    store.stored = holder;
    expect(await find('another')).toEqual(holder);
  });

  test('is always looked up where others may commit unnoticed', async () => {
    const store = storeAt(undefined);
    const find = createKeyHolders(store);
    await find('key');
    await find('key');
    expect(store.lookups).toBe(2);
  });
});
