export { decodeText, type TextOptions } from '../crypto/text.ts';

import { type Cipher, decipherOf, requireWebCrypto } from '../crypto/cipher.ts';
import { type KeyedDocument, requireDocument } from '../crypto/document-key.ts';
import { asVaultError, LockedError, UsageError } from '../errors.ts';
import type { CreatedShare } from '../generated/types.ts';
import { createApi } from '../http/api.ts';
import { ApiPromise } from '../http/api-result.ts';
import { noCredentials } from '../http/credentials.ts';
import { knownOptions } from '../http/request.ts';
import { createTransport } from '../http/transport.ts';
import {
  type CallOptions,
  type DocumentVaultOptions,
  requireKnown,
  resolveOptions,
} from '../options.ts';
import type { DecryptedDocument, DecryptedStream, DownloadOptions } from '../resources/content.ts';
import { type DocumentOrigin, download } from '../resources/download.ts';
import { type ShareOrigin, shareOriginKey } from '../resources/shares.ts';
import { readLink, sharePath, writeLink } from './link.ts';

/** Options of {@link shareUrl}. Those of a call apply to fetching the document. */
export interface ShareUrlOptions extends CallOptions {
  /** A cipher of the document. @default that of the client that created the share, if it is unlocked */
  cipher?: Pick<Cipher, 'documentKey'> | undefined;
  /**
   * The shared document, as `upload`, `list` or `get` returned it. Pass it to save a
   * request. @default fetched by the client that created the share
   */
  document?: KeyedDocument | undefined;
  /**
   * The page of your application that calls {@link openShare}, such as
   * `https://app.example.com/open`. It must be `https` or a loopback address, and may have a query but
   * no fragment. @default the page of the service, `<baseUrl>/share/`
   */
  page?: string | undefined;
}

/**
 * Makes a link of a share: `<page>#v2.<token>.<document>.<key>`. Anyone who has the link can open this document
 * without account and secret, as long as the share is valid. Browsers do not send the part after
 * `#`, so neither the page's server nor the service sees the key. Treat the link as a secret. Revoking
 * the share ends it.
 *
 * @param share - the result of `shares.create`, with `access: 'anyone'`
 * @throws UsageError when the share needs credentials, belongs to another document, or an option is missing
 * @throws DecryptionError for a wrong key, and when the service returned the key or the share
 * of another document
 * @example
 * const share = await client.shares.create(document.id, { access: 'anyone' });
 * const link = await shareUrl(share, { document, page: 'https://app.example.com/open' });
 */
export async function shareUrl(
  share: CreatedShare,
  options: ShareUrlOptions = {},
): Promise<string> {
  try {
    requireKnown(options, `document page ${knownOptions}`);
    const { cipher: given, document, page, ...call } = options;
    if (!share?.shareToken) {
      throw new UsageError('The share has no token: pass the result of shares.create');
    }
    if (share.access !== 'anyone') {
      throw new UsageError("The share needs credentials: create it with access: 'anyone'");
    }
    const origin = (share as { [shareOriginKey]?: ShareOrigin })[shareOriginKey];
    if (origin) requireDocument(origin.documentId, { id: share.documentId });
    const target = page ?? (origin && `${origin.baseUrl}${sharePath}`);
    if (target === undefined) throw new UsageError('page is required: the share is a copy');
    const shared = document ?? (await origin?.document(call));
    if (!shared) throw new UsageError('document is required: the share is a copy');
    if (shared.id !== share.documentId) {
      throw new UsageError('document is not the document of the share');
    }
    const cipher = given ?? origin?.cipher();
    if (!cipher) throw new LockedError('The client is locked: unlock it first, or pass a cipher');
    const key = await cipher.documentKey(shared);
    return writeLink(target, { token: share.shareToken, id: shared.id, key });
  } catch (error) {
    throw asVaultError(error);
  }
}

/** Options of {@link openShare}. */
export interface OpenShareOptions extends Omit<DownloadOptions, 'cipher'> {
  /**
   * URL of the service. A link never holds it. Programs outside a browser that open links of
   * strangers should always pass it. @default the part before `/share/` of a link to the service's own
   * page, otherwise the origin of the link
   */
  baseUrl?: string | undefined;
  /** Sends the requests. @default the platform's `fetch` */
  fetch?: DocumentVaultOptions['fetch'];
  /** Allows `http:` to hosts other than the loopback interface. @default false */
  allowInsecureHttp?: boolean | undefined;
}

/**
 * Opens a link of {@link shareUrl}: fetches the document without credentials, which counts as one
 * access, and decrypts content and name with the key in the link. The fragment is never sent. A page
 * calls it with `location.href`, and should then remove the fragment from the history.
 *
 * @param link - the whole link
 * @throws UsageError when the link is malformed or incomplete; nothing was sent
 * @throws NotFoundError when the share is unknown, used up, expired or revoked, or its owner is
 * suspended
 * @throws DecryptionError when the key does not fit, the content was changed, or the service returned
 * another document than the one of the link
 * @example
 * const { bytes, fileName } = await openShare(location.href);
 * history.replaceState(null, '', location.pathname);
 */
export function openShare(
  link: string | URL,
  options?: OpenShareOptions & { as?: 'bytes' | undefined },
): ApiPromise<DecryptedDocument>;
/** Opens a link as a stream, which is decrypted while it is read. Its ranges count as no further access. */
export function openShare(
  link: string | URL,
  options: OpenShareOptions & { as: 'stream' },
): ApiPromise<DecryptedStream>;
export function openShare(
  link: string | URL,
  options: OpenShareOptions = {},
): ApiPromise<DecryptedDocument & DecryptedStream> {
  const context = { method: 'GET', path: '/api/v1/documents/share/{token}' } as const;
  return new ApiPromise(async () => {
    const { service, token, id, key } = readLink(link);
    const { baseUrl = service, fetch, allowInsecureHttp, ...call } = options;
    const settings = resolveOptions({ baseUrl, fetch, allowInsecureHttp });
    const transport = createTransport(settings, noCredentials());
    const api = createApi(transport);
    // Before the request counts as an access.
    requireWebCrypto();
    const cipher = decipherOf({ unwrap: async () => key, detectsWrongKey: false });
    const open = api.send('GET', context.path);
    const origin: DocumentOrigin = {
      transport,
      id,
      isShared: true,
      fetch: (choice) => open(token, choice, call),
    };
    return download(origin, { ...call, cipher }, context);
  }, context);
}
