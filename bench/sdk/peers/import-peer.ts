/** Loads a peer that may not be installed; by a name, so that nobody needs its types. */
export async function importPeer<T>(packageName: string): Promise<T> {
  return (await import(packageName)) as T;
}
