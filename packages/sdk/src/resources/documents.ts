import type { DocumentSource } from '../crypto/seal.ts';
import type {
  CreateDocument,
  Document,
  DocumentWithContent,
  ListDocuments,
  UpdateDocument,
} from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/responses.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';
import type { DecryptedDocument, DownloadOptions, UploadOptions } from './content.ts';
import { downloaded, uploaded } from './lazy-transfers.ts';

/** The documents of the account. */
export interface Documents {
  /**
   * Encrypts a document and uploads it. The plaintext never leaves this machine. Needs the scope
   * `documents:write`.
   *
   * @throws {@link UsageError} without a cipher, when neither source nor options give a file name, or
   * when the content is larger than 32 MiB; it is not encrypted then
   * @throws {@link ValidationError} and {@link NotFoundError} as {@link Documents.create} does
   * @example
   * const document = await client.documents.upload(file, { vaultId: vault.id, cipher });
   */
  upload(source: DocumentSource, options: UploadOptions): ApiPromise<Document>;

  /**
   * Downloads a document and decrypts its content and file name. Needs the scope `documents:read`.
   *
   * @throws {@link DecryptionError} when the passphrase is wrong or the content was changed
   * @throws {@link NotFoundError} when the account has no document with this id
   * @throws {@link UsageError} without a cipher
   * @example
   * const { bytes, fileName } = await client.documents.download(document.id, { cipher });
   */
  download(id: string, options: DownloadOptions): ApiPromise<DecryptedDocument>;

  /**
   * Lists the documents of the account without their content, newest first by default. Filters can
   * be combined. Needs the scope `documents:read`.
   *
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { fileName } of client.documents.list({ vaultId: vault.id })) {
   *   console.log(fileName);
   * }
   */
  list(query?: ListDocuments, options?: ListOptions): List<Document>;

  /**
   * Returns a document with its encrypted content. {@link Documents.download} decrypts it. Needs the
   * scope `documents:read`.
   *
   * @throws {@link NotFoundError} when the account has no document with this id
   * @example
   * const { encryptedData, encryptionMetadata } = await client.documents.get(document.id);
   */
  get(id: string, options?: CallOptions): ApiPromise<DocumentWithContent>;

  /**
   * Uploads content that is encrypted already. {@link Documents.upload} also encrypts it. Needs the
   * scope `documents:write`.
   *
   * @throws {@link NotFoundError} when the account has no such vault
   * @throws {@link ValidationError} when a property is invalid, the vault is inactive (field
   * `vaultId`, constraint `active`), or the content exceeds the quota of vault or instance (field
   * `encryptedData`, constraint `vaultQuota` or `instanceQuota`)
   * @example
   * const sealed = await cipher.seal('Tax return 2026');
   * const fileName = 'tax-return.txt';
   * const mimeType = 'text/plain';
   * await client.documents.create({ vaultId: vault.id, fileName, mimeType, ...sealed });
   */
  create(document: CreateDocument, options?: CallOptions): ApiPromise<Document>;

  /**
   * Renames a document, moves it to another active vault of the account, or changes its media type.
   * The content stays. Needs the scope `documents:write`.
   *
   * @throws {@link NotFoundError} when the account has no such document or vault
   * @throws {@link ValidationError} when a property is invalid, or the vault cannot take the document
   * (field `vaultId`, constraint `active`, `sameAccount` or `vaultQuota`)
   * @example
   * await client.documents.update(document.id, { fileName: 'tax-return-2026.pdf' });
   */
  update(id: string, changes: UpdateDocument, options?: CallOptions): ApiPromise<Document>;

  /**
   * Deletes a document with its shares. This cannot be undone. Needs the scope `documents:write`.
   *
   * @throws {@link NotFoundError} when the account has no document with this id
   * @example
   * await client.documents.delete(document.id);
   */
  delete(id: string, options?: CallOptions): ApiPromise<void>;
}

/** Creates the resource. */
export function createDocuments({ call, send, list, transport }: Api): Documents {
  const path = '/api/v1/documents';
  const get = call('GET', '/api/v1/documents/{id}');
  const create = send('POST', path);
  return {
    // A login while the source is read must not upload the document to another account.
    upload: (source, options) => uploaded(source, options, create, transport.generation),
    download: (id, options) =>
      downloaded(() => get(id, options), options, '/api/v1/documents/{id}'),
    list: list(path, 'vaultId mimeType search'),
    get,
    create,
    update: send('PUT', '/api/v1/documents/{id}'),
    delete: call('DELETE', '/api/v1/documents/{id}'),
  };
}
