import type { ApiKeyHolder } from '../store/api-keys.ts';
import type { Store } from '../store/store.ts';
import { digest } from './secrets.ts';

/** Keys remembered at once: each takes about a kilobyte. */
const limit = 10_000;

/**
 * Looks up who holds an API key. Whoever calls often is looked up once per revision of the store: as
 * long as nothing is committed, no key can be revoked and no account change.
 */
export function createKeyHolders(
  store: Pick<Store, 'apiKeys' | 'revision'>,
): (key: string) => Promise<ApiKeyHolder | undefined> {
  const known = new Map<string, ApiKeyHolder>();
  let knownAt: number | undefined;

  return async (key) => {
    const { revision } = store;
    if (revision !== knownAt) {
      known.clear();
      knownAt = revision;
    }
    const remembered = known.get(key);
    if (remembered) return remembered;

    const holder = await store.apiKeys.findHolder(digest(key));
    const stillHolds = revision !== undefined && revision === knownAt;
    if (holder && stillHolds && known.size < limit) known.set(key, holder);
    return holder;
  };
}
