import { requireDocument } from '../crypto/document-key.ts';
import type {
  CreateDocument,
  CreateUpload,
  Document,
  DocumentWithContent,
  Upload,
} from '../generated/types.ts';
import type { StartedCall } from '../http/api.ts';
import type { ApiPromise, RawResult } from '../http/api-result.ts';
import type { Transport } from '../http/transport.ts';
import { isOutdatedKey } from './account-lock.ts';
import type { VaultCipher } from './vault-keys.ts';

/** The operations of an upload. */
export interface UploadOperations {
  readonly transport: Transport;
  readonly documents: {
    create(document: CreateDocument, options: StartedCall): ApiPromise<Document>;
    get(id: string, options: StartedCall): ApiPromise<DocumentWithContent>;
  };
  readonly uploads: {
    create(upload: CreateUpload, options: StartedCall): ApiPromise<Upload>;
    get(id: string, options: StartedCall): ApiPromise<Upload>;
    delete(id: string, options: StartedCall): ApiPromise<void>;
  };
  /** Undefined when the caller has passed a cipher. */
  readonly wrapForNewestKey?: VaultCipher['wrapForNewestKey'] | undefined;
}

/**
 * Creates the document of an upload. When another device has given the vault a new key meanwhile, wraps the document's
 * key under that one and sends the request once more.
 *
 * @throws DecryptionError when the service returns another document
 */
export async function createDocument(
  { documents, wrapForNewestKey }: UploadOperations,
  document: CreateDocument & { id: string },
  options: StartedCall,
): Promise<RawResult<Document>> {
  const { id, encryptionMetadata, uploadId, ...fields } = document;
  const create = (metadata: typeof encryptionMetadata, call: StartedCall) => {
    const body = { ...fields, ...(uploadId ? { uploadId } : { id }), encryptionMetadata: metadata };
    return documents.create(body, call).withResponse();
  };
  const created = await create(encryptionMetadata, options).catch(async (error) => {
    if (!wrapForNewestKey || !isOutdatedKey(error)) throw error;
    const wrapped = await wrapForNewestKey({ id, encryptionMetadata });
    // An idempotency key belongs to one body, and this is another.
    const call = { ...options, idempotencyKey: undefined };
    return create({ ...encryptionMetadata, ...wrapped }, call);
  });
  requireDocument(id, created.data);
  return created;
}
