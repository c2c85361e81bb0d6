import { fromBase64Url, toBase64Url } from '../crypto/base64url.ts';
import { UsageError } from '../errors.ts';
import { loopback } from '../options.ts';

/** What the fragment of a link holds: `v1`, the share's token and the document's key. */
interface LinkSecrets {
  readonly token: string;
  /** 32 bytes. */
  readonly key: Uint8Array<ArrayBuffer>;
}

/** A link, taken apart. */
interface Link extends LinkSecrets {
  /** Of the page that it points at. */
  readonly origin: string;
}

const version = 'v1';
const keyLength = 32;

/**
 * Writes a link to a page. It ends with the key, whose last character is a letter or a digit: what
 * finds links in messages may leave `-` and `_` out at their end.
 *
 * @throws UsageError when the page is not one
 */
export function writeLink(page: string, { token, key }: LinkSecrets): string {
  const url = parse(page, 'page');
  if (url.hash) throw new UsageError('page must not have a fragment: the link puts its own there');
  if (url.username || url.password) throw new UsageError('page must not hold credentials');
  const secure = url.protocol === 'https:';
  if (!secure && !(url.protocol === 'http:' && loopback.test(url.hostname))) {
    throw new UsageError('page must be https: whoever can change the page can read the key');
  }
  url.hash = [version, token, toBase64Url(key)].join('.');
  return url.href;
}

/**
 * Reads a link. What is wrong with one is said without quoting it.
 *
 * @throws UsageError
 */
export function readLink(link: string | URL): Link {
  const { hash, origin } = parse(link, 'The link');
  if (hash.length < 2) {
    throw new UsageError('The link has no fragment (#…), where its token and key belong');
  }
  const [kind, token = '', key = '', ...more] = hash.slice(1).split('.');
  if (kind !== version) {
    throw new UsageError(`The link's fragment does not begin with ${version}: not a share link`);
  }
  if (!/^[\w-]+$/.test(token)) throw new UsageError('The link has no token, or not a whole one');
  if (more.length > 0) throw new UsageError("Something follows the link's key");
  return { origin, token, key: readKey(key) };
}

function readKey(text: string): Uint8Array<ArrayBuffer> {
  let key: Uint8Array<ArrayBuffer> | undefined;
  try {
    key = fromBase64Url(text);
  } catch {
    // The platform's error may quote the text.
  }
  if (key?.length === keyLength) return key;
  throw new UsageError("The link's key is not whole: the link was cut off or changed on its way");
}

function parse(url: string | URL, subject: string): URL {
  try {
    return new URL(url);
  } catch {
    // The platform's error quotes the URL.
    throw new UsageError(`${subject} must be an absolute URL`);
  }
}
