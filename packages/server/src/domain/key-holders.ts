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
  const known = new Map<string, Promise<ApiKeyHolder | undefined>>();
  let knownAt: number | undefined;

  return (key) => {
    const { revision } = store;
    if (revision !== knownAt) {
      known.clear();
      knownAt = revision;
    }
    const remembered = known.get(key);
    if (remembered) return remembered;

    const looking = store.apiKeys.findHolder(digest(key));
    if (revision === undefined || known.size >= limit) return looking;
    // From here on, so that requests of the same moment share the look-up.
    known.set(key, looking);
    const forget = () => known.get(key) === looking && known.delete(key);
    // Keys that nobody has are without number, and a failure is nothing to remember.
    looking.then((holder) => holder ?? forget(), forget);
    return looking;
  };
}
