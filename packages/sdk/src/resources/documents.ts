import type { DocumentSource } from '../crypto/source.ts';
import type { Api } from '../http/api.ts';
import { type ApiPromise, apiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { createList, type List, type ListOptions } from '../pages.ts';
import {
  type DecryptedDocument,
  type DownloadOptions,
  sealDocument,
  type UploadOptions,
  unsealed,
} from './content.ts';
import type {
  CreateDocument,
  Document,
  DocumentWithContent,
  ListDocuments,
  UpdateDocument,
} from './document.ts';

/** The documents of the account. */
export class Documents {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Lists the documents of the account without their content, newest first unless sorted otherwise.
   * Filters can be combined. Needs the scope `documents:read`.
   *
   * @throws ValidationError when the query is not as described
   */
  list(query: ListDocuments = {}, options: ListOptions = {}): List<Document> {
    return createList(this.#api, '/api/v1/documents', { query, options });
  }

  /**
   * Answers one document with its content as the service holds it: encrypted. {@link
   * Documents.download} decrypts it. Needs the scope `documents:read`.
   *
   * @throws NotFoundError when the account has none of this id
   */
  get(id: string, options?: CallOptions): ApiPromise<DocumentWithContent> {
    return this.#api.call('get', '/api/v1/documents/{id}', { path: { id } }, options);
  }

  /**
   * Stores content that is encrypted already; {@link Documents.upload} encrypts and stores. Needs
   * the scope `documents:write`.
   *
   * @throws NotFoundError when the account has no such vault
   * @throws ValidationError when a property is not as described, the vault is not active (field
   * `vaultId`, constraint `active`), or the content would fill the vault or the instance beyond its
   * quota (field `encryptedData`, constraint `vaultQuota` or `instanceQuota`)
   */
  create(document: CreateDocument, options?: CallOptions): ApiPromise<Document> {
    return this.#api.call('post', '/api/v1/documents', { body: document }, options);
  }

  /**
   * Changes what is known about a document, and leaves what is not given; the content stays. A new
   * `vaultId` moves it to another active vault of the account. Needs the scope `documents:write`.
   *
   * @throws NotFoundError when the account has no such document or vault
   * @throws ValidationError when a property is not as described, or the vault does not take the
   * document (field `vaultId`, constraint `active`, `sameAccount` or `vaultQuota`)
   */
  update(id: string, changes: UpdateDocument, options?: CallOptions): ApiPromise<Document> {
    const input = { path: { id }, body: changes };
    return this.#api.call('put', '/api/v1/documents/{id}', input, options);
  }

  /**
   * Deletes the document and its shares, for good. Needs the scope `documents:write`.
   *
   * @throws NotFoundError when the account has none of this id
   */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.#api.call('delete', '/api/v1/documents/{id}', { path: { id } }, options);
  }

  /**
   * Reads, encrypts and stores a document. Plaintext never leaves this machine.
   *
   * @throws UsageError without a cipher, or without a name that neither source nor options give
   */
  upload(source: DocumentSource, options: UploadOptions): ApiPromise<Document> {
    // Left out by programs without types; the missing cipher is what they are told of.
    const given = options ?? ({} as UploadOptions);
    const { onProgress, signal } = given;
    const path = '/api/v1/documents';
    const facts = { method: 'POST', path, attempts: 0 };
    // Whoever logs in while the source is read is somebody else.
    const { era } = this.#api.door;
    return apiPromise(async () => {
      const body = await sealDocument(source, given, { signal, facts });
      const total = body.sizeBytes;
      onProgress?.({ phase: 'uploading', loaded: 0, total });
      const call = this.#api.call('post', path, { body }, { ...given, era });
      const result = await call.withResponse();
      onProgress?.({ phase: 'uploading', loaded: total, total });
      return result;
    }, facts);
  }

  /**
   * Fetches and decrypts a document.
   *
   * @throws DecryptionError for a wrong passphrase or changed content
   */
  download(id: string, options: DownloadOptions): ApiPromise<DecryptedDocument> {
    return unsealed(() => this.get(id, options), options, '/api/v1/documents/{id}');
  }
}
