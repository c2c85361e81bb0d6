import type { Store } from '../../store/store.ts';

/** Maximum number of remembered credentials per cache. Each takes about a kilobyte. */
const limit = 10_000;

/**
 * Remembers who holds a credential until the next commit. While the store's revision is the same, no
 * session can end, no key can be revoked and no account can change.
 *
 * @param find reads the holder from the store; its result is remembered unless it is undefined
 */
export function createCredentialCache<Holder>(
  store: Pick<Store, 'revision'>,
  find: (credential: string) => Promise<Holder | undefined>,
): (credential: string) => Promise<Holder | undefined> {
  const known = new Map<string, Promise<Holder | undefined>>();
  let knownAt: number | undefined;

  return (credential) => {
    const { revision } = store;
    if (revision !== knownAt) {
      known.clear();
      knownAt = revision;
    }
    const remembered = known.get(credential);
    if (remembered) return remembered;

    const looking = find(credential);
    if (revision === undefined || known.size >= limit) return looking;
    // Remembered before it resolves, so that concurrent requests share one look-up.
    known.set(credential, looking);
    const forget = () => known.get(credential) === looking && known.delete(credential);
    // Unknown credentials are not remembered, since a client can invent any number of them.
    looking.then((holder) => holder ?? forget(), forget);
    return looking;
  };
}
