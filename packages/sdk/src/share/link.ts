import { fromBase64Url, toBase64Url } from '../crypto/base64.ts';
import { UsageError } from '../errors.ts';
import { loopback } from '../options.ts';

/** What the fragment of a link has, `v2.<token>.<id>.<key>`. Token and key are secrets. */
interface LinkParts {
  readonly token: string;
  /** Id of the document. The key decrypts no content under another id. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array<ArrayBuffer>;
}

/** A parsed link. */
interface Link extends LinkParts {
  /** The service, when the page is its own; otherwise the origin of the page. */
  readonly service: string;
}

const version = 'v2';

/** Path of the service's own page for links. */
export const sharePath = '/share/';

const keyLength = 32;

/**
 * Writes a link to a page. The key comes last, because its base64url always ends with a letter or a
 * digit: programs that detect links in messages cut off `-` and `_` at the end.
 *
 * @throws UsageError when the page is not a valid URL for a link
 */
export function writeLink(page: string, { token, id, key }: LinkParts): string {
  const url = parse(page, 'page');
  if (url.hash) throw new UsageError('page must not have a fragment: the link adds one');
  if (url.username || url.password) throw new UsageError('page must not contain credentials');
  const secure = url.protocol === 'https:';
  if (!secure && !(url.protocol === 'http:' && loopback.test(url.hostname))) {
    throw new UsageError(
      'page must be https: an attacker who can change the page can read the key',
    );
  }
  url.hash = [version, token, id, toBase64Url(key)].join('.');
  return url.href;
}

/**
 * Parses a link. Errors do not quote it.
 *
 * @throws UsageError
 */
export function readLink(link: string | URL): Link {
  const { hash, origin, pathname } = parse(link, 'The link');
  if (hash.length < 2) {
    throw new UsageError('The link has no fragment (#…) with token and key');
  }
  const [kind, token = '', id = '', key = '', ...more] = hash.slice(1).split('.');
  if (kind !== version) {
    throw new UsageError(`Not a share link: its fragment does not begin with ${version}`);
  }
  if (!/^[\w-]+$/.test(token))
    throw new UsageError('The token of the link is missing or incomplete');
  if (!/^[\w-]+$/.test(id)) throw new UsageError('The document of the link is missing');
  if (more.length > 0) throw new UsageError('The link has more than token, document and key');
  const prefix = pathname.endsWith(sharePath) ? pathname.slice(0, -sharePath.length) : '';
  return { service: origin + prefix, token, id, key: readKey(key) };
}

function readKey(text: string): Uint8Array<ArrayBuffer> {
  let key: Uint8Array<ArrayBuffer> | undefined;
  try {
    key = fromBase64Url(text);
  } catch {
    // The platform's error may quote the text.
  }
  if (key?.length === keyLength) return key;
  throw new UsageError('The key of the link is incomplete: the link was cut off or changed');
}

function parse(url: string | URL, subject: string): URL {
  try {
    return new URL(url);
  } catch {
    // The platform's error quotes the URL.
    throw new UsageError(`${subject} must be an absolute URL`);
  }
}
