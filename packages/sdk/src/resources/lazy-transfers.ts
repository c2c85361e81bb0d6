import type { DocumentSource } from '../crypto/seal.ts';
import type { Document, DocumentWithContent } from '../generated/types.ts';
import type { Generation } from '../http/credentials.ts';
import { type ApiPromise, apiPromise } from '../http/responses.ts';
import type { DecryptedDocument, UploadOptions } from './content.ts';
import type { Create, GivenDownloadOptions } from './transfers.ts';

/**
 * Encrypts and sends a document. The code is loaded by the first call.
 *
 * @param generation - the session generation in which the call began
 * @internal
 */
export function uploaded(
  source: DocumentSource,
  options: UploadOptions | undefined,
  create: Create,
  generation: Generation,
): ApiPromise<Document> {
  const context = { method: 'POST', path: '/api/v1/documents', attempts: 0 };
  return apiPromise(async () => {
    const { upload } = await import('./transfers.ts');
    const given = { ...options, generation } as UploadOptions & { generation: Generation };
    return upload(source, given, { create, context });
  }, context);
}

/**
 * Fetches and decrypts a document. The code is loaded by the first call.
 *
 * @param path - path template of the operation that fetches it
 * @internal
 */
export function downloaded(
  fetch: () => ApiPromise<DocumentWithContent>,
  options: GivenDownloadOptions | undefined,
  path: string,
): ApiPromise<DecryptedDocument> {
  const context = { method: 'GET', path };
  return apiPromise(async () => {
    // Before the request: opening a share counts.
    const { download } = await import('./transfers.ts');
    return download(fetch, options, context);
  }, context);
}
