import { OperatorError } from '../../lib/operator-error.ts';
import type { Store } from '../store.ts';
import type { Contents } from './contents.ts';
import { type DatabaseContentsOptions, databaseContents } from './in-database.ts';
import { type ObjectStore, type ObjectStoreOptions, openObjectStore } from './s3/object-store.ts';
import { s3Contents } from './s3/s3-contents.ts';

/**
 * Opens the configured object store, and verifies that its bucket can be used.
 *
 * @param options null: contents are stored in the database
 * @throws OperatorError
 */
export async function openObjects(
  options: ObjectStoreOptions | null,
  store: Store,
): Promise<ObjectStore | undefined> {
  if (options === null) {
    if (!(await store.contentObjects.exist())) return undefined;
    throw new OperatorError(
      'Contents of this database are in an object store: set DOCUMENT_VAULT_CONTENTS to its bucket.',
    );
  }
  const objects = await openObjectStore(options);
  try {
    await objects.check();
  } catch (error) {
    objects.close();
    const where = options.endpoint === null ? '' : ` at ${options.endpoint}`;
    throw new OperatorError(
      `The bucket ${options.bucket}${where} cannot be used: ${(error as Error).message}. ` +
        'Check its name, the endpoint, the region and the credentials in the environment.',
      { cause: error },
    );
  }
  return objects;
}

/**
 * Returns the contents of a store. With an object store, new contents above 128 KiB and all uploads in parts go
 * there; contents that are in the database stay there and are read from it.
 */
export function createContents({
  store,
  clock,
  objects,
}: DatabaseContentsOptions & { readonly objects?: ObjectStore | undefined }): Contents {
  const database = databaseContents({ store, clock });
  if (!objects) return database;
  const s3 = s3Contents({ store, clock, objects });

  /** An upload can be older than the configuration. */
  async function driverOf(id: string) {
    return (await store.contentObjects.findPending(id, clock.now())) ? s3 : database;
  }

  return {
    ...s3,
    hold: database.hold,
    writePart: async (part, chunks) => (await driverOf(part.id)).writePart(part, chunks),
    complete: async (content) => (await driverOf(content.id)).complete(content),
    take: (tx, ready) =>
      ready.kind === 'staged' && ready.stored.store === 's3'
        ? s3.take(tx, ready)
        : database.take(tx, ready),
    read: (document, range) =>
      (document.content.store === 's3' ? s3 : database).read(document, range),
  };
}
