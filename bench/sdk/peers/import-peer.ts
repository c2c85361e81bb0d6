/** Loads a peer that may not be installed; by a name, so that its types are not needed. */
export async function importPeer<T>(packageName: string): Promise<T> {
  return (await import(packageName)) as T;
}
