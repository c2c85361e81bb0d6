import type { Cipher } from '../crypto/cipher.ts';
import { requireDocument } from '../crypto/document-key.ts';
import { ValidationError } from '../errors.ts';
import type { CreateDocument, Document } from '../generated/types.ts';
import type { StartedCall } from '../http/api.ts';
import type { ApiPromise, RawResult } from '../http/api-result.ts';
import type { VaultCipher } from './vault-keys.ts';

/** The operation that creates a document. */
interface DocumentCreation {
  readonly documents: {
    create(document: CreateDocument, options: StartedCall): ApiPromise<Document>;
  };
}

/**
 * Creates the document of an upload. When another device has given the vault a new key meanwhile, wraps the document's
 * key under that one and sends the request once more.
 *
 * @throws DecryptionError when the service returns another document
 */
export async function createDocument(
  { documents }: DocumentCreation,
  document: CreateDocument & { id: string },
  options: StartedCall & { cipher: Cipher | VaultCipher },
): Promise<RawResult<Document>> {
  const { cipher } = options;
  const { id, encryptionMetadata, uploadId, ...fields } = document;
  const create = (metadata: typeof encryptionMetadata, call: StartedCall) => {
    const body = { ...fields, ...(uploadId ? { uploadId } : { id }), encryptionMetadata: metadata };
    return documents.create(body, call).withResponse();
  };
  const created = await create(encryptionMetadata, options).catch(async (error) => {
    if (!('wrapAgain' in cipher) || !isOutdatedKey(error)) throw error;
    const wrapped = await cipher.wrapAgain({ id, encryptionMetadata });
    // The key of the refused request stands for its body.
    const call = { ...options, idempotencyKey: undefined };
    return create({ ...encryptionMetadata, ...wrapped }, call);
  });
  requireDocument(id, created.data);
  return created;
}

function isOutdatedKey(error: unknown): boolean {
  return error instanceof ValidationError && error.details.constraint === 'keyGeneration';
}
