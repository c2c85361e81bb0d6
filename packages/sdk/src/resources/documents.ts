import type { Decipher } from '../crypto/cipher.ts';
import type { NamedDocument } from '../crypto/document-key.ts';
import type { DocumentSource } from '../crypto/seal.ts';
import type {
  CreateDocument,
  Document,
  DocumentWithContent,
  ListDocuments,
  UpdateDocument,
} from '../generated/types.ts';
import type { Api, StartedCall } from '../http/api.ts';
import { ApiPromise, type RawResult } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';
import { type AccountLock, isOutdatedKey, requireUnlocked } from './account-lock.ts';
import type { UploadCheckpoint } from './checkpoints.ts';
import type {
  ContentChoice,
  ContentOptions,
  DecryptedDocument,
  DecryptedStream,
  DownloadOptions,
  EncryptedStream,
  RenameOptions,
  UploadOptions,
} from './content.ts';
import type { UploadOperations } from './create-document.ts';
import { contentMethod, transferred } from './lazy-transfers.ts';

/** The documents of the account. */
export interface Documents {
  /**
   * Encrypts a document and uploads it. The plaintext never leaves this machine. Needs the scope
   * `documents:write`; an unlocked client also `documents:read`, and `vaults:write` for the first document of a vault.
   *
   * @throws {@link LockedError} when the client is locked and there is no cipher
   * @throws {@link UsageError} when neither source nor options give a file name, or for a stream above 32 MiB without
   * `size`; nothing is encrypted then
   * @throws {@link SourceChangedError} when a file changes while it is read
   * @throws {@link ValidationError} and {@link NotFoundError} as {@link Documents.create} does
   * @example
   * const document = await client.documents.upload(file, { vaultId: vault.id });
   */
  upload(source: DocumentSource, options: UploadOptions): ApiPromise<Document>;

  /**
   * Downloads a document and decrypts its content and file name. Name and media type of the result are
   * those that were sealed with the content. Needs the scope `documents:read`.
   *
   * @throws {@link DecryptionError} for a wrong key, when the content was changed, or the service
   * returned another document
   * @throws {@link NotFoundError} when the account has no document with this id
   * @throws {@link LockedError} when the client is locked and there is no cipher
   * @example
   * const { bytes, fileName } = await client.documents.download(document.id);
   */
  download(
    id: string,
    options?: DownloadOptions & { as?: 'bytes' | undefined },
  ): ApiPromise<DecryptedDocument>;
  /**
   * Downloads a document as a stream, which is decrypted while it is read. Needs the scope `documents:read`.
   *
   * @throws {@link DecryptionError} for a wrong key, and when the beginning of the content was
   * changed; the stream fails where later bytes were changed
   * @throws {@link NotFoundError} when the account has no document with this id
   * @example
   * const { stream } = await client.documents.download(document.id, { as: 'stream' });
   * for await (const bytes of stream) console.log(bytes.length);
   */
  download(id: string, options: DownloadOptions & { as: 'stream' }): ApiPromise<DecryptedStream>;

  /**
   * Returns the name of a listed document: decrypted if it is encrypted, otherwise as stored. The service can replace
   * a plain name; downloads detect it. An unlocked client requests the keys of all vaults at the first use, and needs
   * the scope `documents:read` then.
   *
   * @param document - the document, or the checkpoint of its upload
   * @throws {@link LockedError} when the client is locked and there is no cipher
   * @throws {@link DecryptionError} for a wrong key, and for a changed or invalid name
   * @example
   * for await (const document of client.documents.list()) console.log(await client.documents.fileName(document));
   */
  fileName(
    document: NamedDocument | UploadCheckpoint,
    options?: { cipher?: Pick<Decipher, 'fileName'> | undefined },
  ): Promise<string>;

  /**
   * Encrypts a new name for a document and stores it. {@link Documents.update} stores a plain one. Needs the scope
   * `documents:write`; an unlocked client also `documents:read`.
   *
   * @param document - the document, as `list`, `get` or `upload` returned it
   * @throws {@link LockedError} when the client is locked and there is no cipher
   * @throws {@link UsageError} for an invalid name, and above 160 bytes of UTF-8
   * @example
   * await client.documents.rename(document, 'tax-return-2026.pdf');
   */
  rename(document: Document, fileName: string, options?: RenameOptions): ApiPromise<Document>;

  /**
   * Moves a document to another active vault of the account. For documents under the keyring, also wraps the key for
   * the target vault. Needs the scope `documents:write`; an unlocked client also `documents:read`, and `vaults:write`
   * for the first document of a vault.
   *
   * @param document - the document, as `list`, `get` or `upload` returned it
   * @throws {@link LockedError} for a document under the keyring, when the client is locked
   * @throws {@link ValidationError} when the vault cannot take the document (field `vaultId`, constraint `active`,
   * `sameAccount` or `vaultQuota`)
   * @throws {@link NotFoundError} when the account has no such document or vault
   * @example
   * await client.documents.move(document, archive.id);
   */
  move(document: Document, vaultId: string, options?: CallOptions): ApiPromise<Document>;

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
   * Returns a document without its content. {@link Documents.content} reads that. Needs the scope
   * `documents:read`.
   *
   * @throws {@link NotFoundError} when the account has no document with this id
   * @example
   * const { fileName, sizeBytes } = await client.documents.get(document.id, { content: false });
   */
  get(id: string, options: CallOptions & { content: false }): ApiPromise<Document>;
  /**
   * Returns a document with its encrypted content. {@link Documents.download} decrypts it. Needs the
   * scope `documents:read`.
   *
   * @throws {@link NotFoundError} when the account has no document with this id
   * @example
   * const { encryptedData, encryptionMetadata } = await client.documents.get(document.id);
   */
  get(id: string, options?: ContentChoice): ApiPromise<DocumentWithContent>;

  /**
   * Opens the encrypted content of a document, of any size, as a stream. {@link Documents.download}
   * decrypts it. Needs the scope `documents:read`.
   *
   * @throws {@link NotFoundError} when the account has no document with this id
   * @throws {@link ApiError} with the status 416 when the content ends before the range
   * @example
   * const { stream, size } = await client.documents.content(document.id, { range: { start: 0, end: 1024 } });
   * for await (const bytes of stream) console.log(bytes.length, 'of', size);
   */
  content(id: string, options?: ContentOptions): ApiPromise<EncryptedStream>;

  /**
   * Uploads content that is encrypted already. {@link Documents.upload} also encrypts it. Needs the
   * scope `documents:write`.
   *
   * @throws {@link NotFoundError} when the account has no such vault
   * @throws {@link ValidationError} when a property is invalid, the vault is inactive (field
   * `vaultId`, constraint `active`), or the content exceeds the quota of vault or instance (field
   * `encryptedData`, constraint `vaultQuota` or `instanceQuota`)
   * @example
   * const sealed = await cipher.seal('Tax return 2026', { fileName: 'tax-return.txt' });
   * await client.documents.create({ vaultId: vault.id, ...sealed });
   */
  create(document: CreateDocument, options?: CallOptions): ApiPromise<Document>;

  /**
   * Changes the name of a document, its vault or its media type. The content stays. {@link Documents.move} also wraps
   * the key for the vault. Downloads return the name and the type that were sealed with the content: for a new name in
   * downloads, pass the result of `cipher.encryptFileName`. Needs the scope `documents:write`.
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
export function createDocuments(
  api: Api,
  uploads: UploadOperations['uploads'],
  lock: AccountLock,
): Documents {
  const path = '/api/v1/documents';
  const documentPath = '/api/v1/documents/{id}';
  // Uploads and downloads compare the id themselves.
  const getUnchecked = api.send('GET', documentPath);
  const get = api.send('GET', documentPath, { sameId: true });
  const create = api.send('POST', path);
  const update = api.send('PUT', documentPath, { sameId: true });
  const getWithoutContent = (id: string, options: StartedCall) =>
    getUnchecked(id, { content: false }, options);
  const { transport } = api;
  const operations = { transport, documents: { create, get: getWithoutContent }, uploads };
  /**
   * Stores what `change` encrypts. When its key is outdated, encrypts and stores once more. After another login meanwhile,
   * it is not sent as that user.
   */
  const store = (
    { id }: Document,
    call: CallOptions | undefined,
    change: (isOutdated?: true) => Promise<UpdateDocument>,
  ) => {
    const { generation } = transport;
    const storing = async (isOutdated?: true): Promise<RawResult<Document>> => {
      const changes = await change(isOutdated);
      return update(id, changes, { ...call, generation }).withResponse();
    };
    const begin = () =>
      storing().catch((error) => {
        if (isOutdatedKey(error)) return storing(true);
        throw error;
      });
    return new ApiPromise(begin, { method: 'PUT', path: documentPath });
  };
  return {
    upload(source, options) {
      // A login while the source is read must not upload the document to another account.
      const { generation } = transport;
      // A lock does not end a call that has begun.
      const vaultCipher = lock.cipher(options?.vaultId);
      return transferred('POST', path, options, ({ upload }, context) =>
        upload(source, { ...options, generation }, { operations, vaultCipher, context }),
      );
    },
    download: (id: string, options: DownloadOptions = {}) => {
      const cipher = options.cipher ?? lock.cipher();
      return transferred('GET', documentPath, options, ({ download }, context) =>
        download(
          { transport, id, fetch: (content) => getUnchecked(id, content, options) },
          { ...options, cipher },
          context,
        ),
      );
    },
    fileName: async (document, { cipher = lock.cipher(document.vaultId) } = {}) =>
      requireUnlocked(cipher).fileName('encryption' in document ? document.encryption : document),
    rename: (document, fileName, { cipher = lock.cipher(), ...call } = {}) =>
      store(document, call, async () => ({
        fileName: await requireUnlocked(cipher).encryptFileName(document, fileName),
      })),
    move(document, vaultId, call) {
      const { vaults } = lock;
      return store(document, call, async (isOutdated) => {
        if (document.encryptionMetadata.keyDerivation !== 'VAULT_KEY') return { vaultId };
        const unlocked = requireUnlocked(vaults);
        const encryptionMetadata = await unlocked.wrapForVault(document, vaultId, isOutdated);
        return { vaultId, encryptionMetadata };
      });
    },
    list: api.list(path),
    get: (id: string, options?: ContentChoice) =>
      get(id, { content: options?.content }, options) as ApiPromise<never>,
    content: contentMethod(transport, '/api/v1/documents/{id}/content'),
    create,
    update,
    delete: api.call('DELETE', documentPath),
  };
}
