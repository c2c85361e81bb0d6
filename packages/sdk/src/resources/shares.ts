import type { Cipher, Decipher } from '../crypto/cipher.ts';
import type {
  CreatedShare,
  CreateShare,
  Document,
  ListShareAccesses,
  ListShares,
  Share,
  ShareAccess,
  SharedDocument,
} from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';
import type { AccountLock } from './account-lock.ts';
import type {
  ContentChoice,
  ContentOptions,
  DecryptedDocument,
  DecryptedStream,
  DownloadOptions,
  EncryptedStream,
} from './content.ts';
import type { Documents } from './documents.ts';
import { contentMethod, transferred } from './lazy-transfers.ts';

/** Where a created share keeps its {@link ShareOrigin}: the same symbol in every copy of the package. */
export const shareOriginKey: unique symbol = Symbol.for('@document-vault/sdk/share-origin');

/** Service and document of a created share, for `shareUrl`. */
export interface ShareOrigin {
  readonly baseUrl: string;
  /** The document for which the share was requested. */
  readonly documentId: string;
  /** Fetches the shared document. */
  document(options: CallOptions): Promise<Document>;
  /** Returns the cipher of the client, undefined when it is locked. */
  cipher(): Cipher | undefined;
}

/** The shares of documents. The token of a share opens its document. */
export interface Shares {
  /**
   * Lists the shares of a document without their tokens, newest first by default. Revoked and used-up
   * shares are included until 30 days after their end. Needs the scope `documents:share`.
   *
   * @throws {@link NotFoundError} when the account has no document with this id
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { id, accessCount } of client.shares.list(document.id)) {
   *   console.log(id, accessCount);
   * }
   */
  list(documentId: string, query?: ListShares, options?: ListOptions): List<Share>;

  /**
   * Creates a share of a document. By default it lasts 7 days, has no access limit, and only callers
   * with credentials can open it. For a link, pass `access: 'anyone'`: `shareUrl` then makes one that
   * opens without account and secret. Only this call returns the token. Needs the scope
   * `documents:share`.
   *
   * @throws {@link NotFoundError} when the account has no document with this id
   * @throws {@link ValidationError} when a property is invalid
   * @example
   * const { shareToken } = await client.shares.create(document.id, { maxAccessCount: 3 });
   */
  create(documentId: string, share?: CreateShare, options?: CallOptions): ApiPromise<CreatedShare>;

  /**
   * Revokes a share at once. Revoking it again does nothing. Needs the scope `documents:share`.
   *
   * @throws {@link NotFoundError} when the account has no such document, or the document no such
   * share
   * @example
   * await client.shares.delete(document.id, share.id);
   */
  delete(documentId: string, shareId: string, options?: CallOptions): ApiPromise<void>;

  /**
   * Lists who opened a share: when, from which address and by which agent, the newest access first.
   * Accesses are kept for 90 days, but not longer than their share. Needs the scope
   * `documents:share`.
   *
   * @throws {@link NotFoundError} when the account has no such document, or the document no such
   * share
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const access of client.shares.accesses(document.id, share.id)) {
   *   console.log(access.accessedAt, access.ipAddress);
   * }
   */
  accesses(
    documentId: string,
    shareId: string,
    query?: ListShareAccesses,
    options?: ListOptions,
  ): List<ShareAccess>;

  /**
   * Opens a share by its token, which counts as one access. With a cipher it also decrypts the document; without one it
   * returns the encrypted content, also when the client is unlocked. The client's credentials are sent if it has any.
   * Only the owner of the document can decrypt it: the service returns no wrapped key to others, who open a link by its
   * key. A request whose response was lost is not repeated, because it may have counted.
   *
   * @throws {@link NotFoundError} when the token is unknown, used up, expired or revoked, or the
   * owner is suspended
   * @throws {@link DecryptionError} when the cipher does not fit, or the document is another account's
   * @example
   * const { fileName, sizeBytes } = await client.shares.open(shareToken);
   */
  open(
    token: string,
    options: DownloadOptions & { cipher: Decipher; as?: 'bytes' | undefined },
  ): ApiPromise<DecryptedDocument>;
  /** Opens a share as a stream, which is decrypted while it is read. */
  open(
    token: string,
    options: DownloadOptions & { cipher: Decipher; as: 'stream' },
  ): ApiPromise<DecryptedStream>;
  /** Opens a share without its content. {@link Shares.content} reads that, and counts no further access. */
  open(
    token: string,
    options: CallOptions & { cipher?: undefined; content: false },
  ): ApiPromise<Document>;
  /** Opens a share without decrypting it: returns the encrypted content. */
  open(token: string, options?: ContentChoice & { cipher?: undefined }): ApiPromise<SharedDocument>;

  /**
   * Opens the encrypted content of a share that was opened in the last 24 hours, of any size, as a
   * stream. It counts as no further access. The client's credentials are sent if it has any.
   *
   * @param contentUrl - `contentUrl` of the opened share
   * @throws {@link UsageError} when the URL is not of this service
   * @throws {@link NotFoundError} when the share has ended, or was opened earlier than 24 hours ago
   * @throws {@link ApiError} with the status 416 when the content ends before the range
   * @example
   * const { contentUrl } = await client.shares.open(shareToken);
   * const { stream } = await client.shares.content(contentUrl);
   */
  content(contentUrl: string, options?: ContentOptions): ApiPromise<EncryptedStream>;
}

/** Creates the resource. */
export function createShares(
  api: Api,
  getDocument: Documents['get'],
  lock: Pick<AccountLock, 'cipher'>,
): Shares {
  const create = api.send('POST', '/api/v1/documents/{id}/share');
  const path = '/api/v1/documents/share/{token}';
  const open = api.send('GET', path);
  return {
    list: api.list('/api/v1/documents/{id}/shares'),
    create(documentId, share = {}, options) {
      const created = create(documentId, share, options);
      const origin: ShareOrigin = {
        baseUrl: api.transport.baseUrl,
        documentId,
        document: (call) => getDocument(documentId, { ...call, content: false }),
        cipher: () => lock.cipher(),
      };
      // Runs before the caller's handlers. Not enumerable: the service did not return it.
      created.then(
        (data) => Object.defineProperty(data, shareOriginKey, { value: origin }),
        () => {},
      );
      return created;
    },
    delete: api.call('DELETE', '/api/v1/documents/{id}/shares/{shareId}'),
    accesses: api.list('/api/v1/documents/{id}/shares/{shareId}/accesses', 'accessCount'),
    open: ((token, options: Partial<DownloadOptions> & ContentChoice = {}) => {
      const fetch = (choice: { content: boolean | undefined }) => open(token, choice, options);
      if (!options.cipher) return fetch({ content: options.content });
      return transferred('GET', path, options, ({ download }, context) =>
        download({ transport: api.transport, isShared: true, fetch }, options, context),
      );
    }) as Shares['open'],
    content: contentMethod(api.transport, '/api/v1/contents/{ticket}'),
  };
}
