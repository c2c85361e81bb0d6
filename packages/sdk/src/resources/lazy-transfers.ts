import type { DocumentSource } from '../crypto/seal.ts';
import type { ErrorContext } from '../errors.ts';
import type { Document, DocumentWithContent } from '../generated/types.ts';
import type { Generation } from '../http/credentials.ts';
import { withDeadline } from '../http/deadline.ts';
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
    const { upload } = await load(options, context);
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
    const { download } = await load(options, context);
    return download(fetch, options, context);
  }, context);
}

/** Loads the code. A signal ends the wait. */
function load(options: { signal?: AbortSignal | undefined } | undefined, context: ErrorContext) {
  return withDeadline({ signal: options?.signal, context }, () => import('./transfers.ts'));
}
