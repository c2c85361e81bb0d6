import { decipherOf, needWebCrypto } from '../crypto/cipher.ts';
import { Api } from '../http/api.ts';
import { type ApiPromise, apiPromise } from '../http/api-promise.ts';
import { createEra } from '../http/credentials.ts';
import { Door } from '../http/door.ts';
import { type CallOptions, type DocumentVaultOptions, resolveOptions } from '../options.ts';
import type { DecryptedDocument } from '../resources/content.ts';
import { Shares } from '../resources/shares.ts';
import { readLink } from './link.ts';

/** Options of {@link openShare}. */
export interface OpenShareOptions extends CallOptions {
  /**
   * Where the service is. A link never says: only its own origin and what stands here are asked.
   * Programs that open links of strangers outside a browser should always give it.
   * @default the origin of the link
   */
  baseUrl?: string | undefined;
  /** Sends the requests. @default the platform's `fetch` */
  fetch?: DocumentVaultOptions['fetch'];
  /** Allows `http:` to hosts other than this machine. @default false */
  allowInsecureHttp?: boolean | undefined;
}

/**
 * Opens a link that `shareUrl` made: fetches the document without credentials, which counts as one
 * access, and decrypts content and name with the key in the link. The fragment is never sent. A page
 * calls it with `location.href`, and does well to take the fragment out of the history afterwards.
 *
 * @param link - the whole link
 * @throws UsageError when the link is malformed or cut off (nothing was sent then); NotFoundError
 * when the share is unknown, spent, expired or revoked, or its owner is suspended; DecryptionError
 * when the key does not fit the content; and the errors of any call
 */
export function openShare(
  link: string | URL,
  options: OpenShareOptions = {},
): ApiPromise<DecryptedDocument> {
  const facts = { method: 'GET', path: '/api/v1/documents/share/{token}' };
  return apiPromise(async () => {
    const { origin, token, key: bytes } = readLink(link);
    const { baseUrl = origin, fetch, allowInsecureHttp, ...call } = options;
    const shares = sharesWithoutCredentials({ baseUrl, fetch, allowInsecureHttp });
    // Before an access is spent.
    needWebCrypto();
    const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['decrypt']);
    // The service returns no wrapped key here, but every document with a link has a key of its own.
    const cipher = decipherOf(
      async () => key,
      () => true,
    );
    return shares.open(token, { ...call, cipher }).withResponse();
  }, facts);
}

/** A client's `shares` without the rest of the client, which a page that opens links does not load. */
function sharesWithoutCredentials(options: DocumentVaultOptions): Shares {
  const settings = resolveOptions(options);
  const credentials = { era: createEra(false), authorize: async () => undefined };
  return new Shares(new Api(new Door(settings, credentials), settings.baseUrl));
}
