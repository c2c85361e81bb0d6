import type { Decipher } from '../crypto/cipher.ts';
import type { Api } from '../http/api.ts';
import { type ApiPromise, apiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { createList, type List, type ListOptions, type PageQuery } from '../pages.ts';
import { type DecryptedDocument, type DownloadOptions, unsealed } from './content.ts';
import type { DocumentWithContent } from './document.ts';
import { type ShareOrigin, shareOriginKey } from './share-origin.ts';

/** A share link of a document, without its token. */
export interface Share {
  /** Share id (UUIDv7). */
  id: string;
  /** The shared document. */
  documentId: string;
  /** What the holder of the link may do. */
  permissions: SharePermission[];
  /** Who may use the link. */
  access: ShareAccessMode;
  /** When the link ends (ISO 8601). */
  expiresAt: string;
  /** Null means no cap. */
  maxAccessCount: number | null;
  /** Accesses so far; 0 on creation. */
  accessCount: number;
  /** False once it was revoked, is spent, or has expired. */
  isActive: boolean;
  /** When the share was created (ISO 8601). */
  createdAt: string;
}

/** A share link as it is answered once, at its creation. */
export interface CreatedShare extends Share {
  /** Opens the document: whoever has it and may use it gets the encrypted content. */
  shareToken: string;
}

/** What a share allows. */
export type SharePermission = 'read';

/** Who can use a share: callers with credentials, or whoever has the token. */
export type ShareAccessMode = 'authenticated' | 'anyone';

/** What a new share can say. */
export interface CreateShare {
  /** @default ['read'] */
  permissions?: SharePermission[];
  /** In the future and at most 365 days away. @default in 7 days */
  expiresAt?: string;
  /** 1 to 1,000,000, or null for no cap. @default null */
  maxAccessCount?: number | null;
  /** @default authenticated */
  access?: ShareAccessMode;
}

/**
 * What opening a share returns. Without credentials, `encryptionMetadata` holds only `algorithm`, `iv`
 * and `authTag`.
 */
export interface SharedDocument extends DocumentWithContent {}

/** The order of a list of shares. */
export interface ListShares extends PageQuery {
  /** @default createdAt */
  sortBy?: 'createdAt' | 'expiresAt';
  /** @default desc for times, asc for the rest */
  sortOrder?: 'asc' | 'desc';
}

/** Share links: those of a document, and those that somebody else gave. */
export class Shares {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Lists the shares of a document, revoked and spent ones too, newest first unless sorted
   * otherwise. Tokens are not among the answers. A share is kept until 30 days after its end. Needs
   * the scope `documents:share`.
   *
   * @throws NotFoundError when the account has no such document
   * @throws ValidationError when the query is not as described
   */
  list(documentId: string, query: ListShares = {}, options: ListOptions = {}): List<Share> {
    const path = { id: documentId };
    return createList(this.#api, '/api/v1/documents/{id}/shares', { path, query, options });
  }

  /**
   * Creates a share of a document: by default for 7 days, without a cap, for callers with
   * credentials. Only this call returns its token. `shareUrl` turns the share into a link that needs
   * no passphrase. Needs the scope `documents:share`.
   *
   * @throws NotFoundError when the account has no such document
   * @throws ValidationError when a property is not as described
   * @example
   * const share = await client.shares.create(document.id, { maxAccessCount: 3 });
   */
  create(
    documentId: string,
    share: CreateShare = {},
    options?: CallOptions,
  ): ApiPromise<CreatedShare> {
    const path = '/api/v1/documents/{id}/share';
    const values = { id: documentId };
    return apiPromise(
      async () => {
        const input = { path: values, body: share };
        const result = await this.#api.call('post', path, input, options).withResponse();
        const document: ShareOrigin['document'] = (call) =>
          this.#api.call('get', '/api/v1/documents/{id}', { path: values }, call);
        // Not enumerable: the service did not return it.
        Object.defineProperty(result.data, shareOriginKey, {
          value: { baseUrl: this.#api.baseUrl, document } satisfies ShareOrigin,
        });
        return result;
      },
      { method: 'POST', path },
    );
  }

  /**
   * Ends a share at once; ending it again does nothing. Needs the scope `documents:share`.
   *
   * @throws NotFoundError when the account has no such document, or the document no such share
   */
  revoke(documentId: string, shareId: string, options?: CallOptions): ApiPromise<void> {
    const input = { path: { id: documentId, shareId } };
    return this.#api.call('delete', '/api/v1/documents/{id}/shares/{shareId}', input, options);
  }

  /**
   * Opens a share by its token, which counts as one access; with a cipher it also decrypts. The
   * client's credentials are sent if it has any. A cipher of a passphrase needs them: without
   * credentials the service returns no salt and no wrapped key. Since each opening counts, it is
   * repeated only when it certainly did not happen: never sent, or refused by the rate limit.
   *
   * @throws NotFoundError when the token is unknown, spent, expired or revoked, or its owner suspended
   * @throws DecryptionError when a passphrase is given and the client has no credentials
   */
  open(token: string, options: DownloadOptions): ApiPromise<DecryptedDocument>;
  open(token: string, options?: CallOptions & { cipher?: undefined }): ApiPromise<SharedDocument>;
  open(
    token: string,
    options: CallOptions & { cipher?: Decipher | undefined } = {},
  ): ApiPromise<DecryptedDocument | SharedDocument> {
    const path = '/api/v1/documents/share/{token}';
    const open = () => this.#api.call('get', path, { path: { token } }, options);
    return options.cipher ? unsealed(open, options, path) : open();
  }
}
