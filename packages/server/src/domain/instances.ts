import type { Clock } from '../clock.ts';
import type { Ids } from '../ids.ts';
import type { Store } from '../store/store.ts';

export interface FirstInstance {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly quotaBytes: number;
  readonly version: string;
}

/** Makes the instance that accounts belong to, at the first start. */
export async function ensureInstance(options: FirstInstance): Promise<void> {
  const { store, clock, ids, quotaBytes, version } = options;
  if (await store.instances.first()) return;
  const now = clock.now();
  await store.transaction((tx) =>
    tx.instances.insert({
      id: ids.resource(),
      name: 'main',
      region: 'default',
      version,
      status: 'healthy',
      isActive: true,
      quotaBytes,
      usedBytes: 0,
      createdAt: now,
      updatedAt: now,
    }),
  );
}
