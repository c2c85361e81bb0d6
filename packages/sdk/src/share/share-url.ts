import type { Cipher } from '../crypto/cipher.ts';
import type { EncryptionMetadata } from '../crypto/metadata.ts';
import { asVaultError, UsageError } from '../errors.ts';
import type { CallOptions } from '../options.ts';
import { type ShareOrigin, shareOriginKey } from '../resources/share-origin.ts';
import type { CreatedShare } from '../resources/shares.ts';
import { writeLink } from './link.ts';

/** Options of {@link shareUrl}; those of calls are for fetching the document. */
export interface ShareUrlOptions extends CallOptions {
  /** Opens the document: a cipher of its passphrase. */
  cipher: Pick<Cipher, 'documentKey'>;
  /**
   * The shared document, as `upload`, `list` or `get` answered it. Give it if you have it: fetching
   * it brings its content along. @default fetched by the client that made the share
   */
  document?: { id: string; encryptionMetadata: EncryptionMetadata } | undefined;
  /**
   * The page of your application that calls {@link openShare}, such as
   * `https://app.example.com/open`: `https`, or this machine. It may have a query, no fragment.
   * @default the address of the service
   */
  page?: string | undefined;
}

/**
 * Makes a link of a share: `<page>#v1.<token>.<key>`. Whoever has it can open this document, without
 * account and passphrase, as long as the share allows it. Browsers do not send what follows `#`:
 * neither the page's server nor the service sees the key. Treat the link as a secret; revoking the
 * share ends it.
 *
 * @param share - as `shares.create` returned it, with `access: 'anyone'`
 * @throws UsageError when the share is for callers with credentials, the document is another one or
 * has no key of its own, or there is not enough to go by; DecryptionError when the cipher does not
 * open the document; and whatever fetching it throws
 */
export async function shareUrl(share: CreatedShare, options: ShareUrlOptions): Promise<string> {
  try {
    const { cipher, document, page, ...call } = options ?? {};
    if (!cipher) throw new UsageError('shareUrl needs a cipher');
    if (!share?.shareToken) {
      throw new UsageError('The share has no token: only shares.create returns one');
    }
    if (share.access !== 'anyone') {
      throw new UsageError(
        "The share is for callers with credentials; make it with access: 'anyone' for a link",
      );
    }
    const origin = (share as { [shareOriginKey]?: ShareOrigin })[shareOriginKey];
    const target = page ?? origin?.baseUrl;
    if (target === undefined) throw new UsageError('page is needed: the share is a copy');
    const shared = document ?? (await origin?.document(call));
    if (!shared) throw new UsageError('document is needed: the share is a copy');
    if (shared.id !== share.documentId) throw new UsageError('The share is of another document');
    const key = await cipher.documentKey(shared.encryptionMetadata);
    return writeLink(target, { token: share.shareToken, key });
  } catch (error) {
    throw asVaultError(error);
  }
}
