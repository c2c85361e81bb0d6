import fc from 'fast-check';
import { UsageError } from '../../../packages/sdk/src/errors.ts';
import { readLink, writeLink } from '../../../packages/sdk/src/share/link.ts';
import type { Target } from '../target.ts';
import { apply, type Edit, edit, hostileText } from '../values.ts';

// Share links: reading returns what was written, or throws a UsageError that does not quote the link.

interface Input {
  /** Null: a link that was written by the client. */
  readonly link: string | null;
  readonly page: string;
  readonly token: string;
  readonly key: readonly number[];
  readonly edits: readonly Edit[];
}

const inputs: fc.Arbitrary<Input> = fc.record({
  link: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    hostileText,
    fc.webUrl({ withFragments: true }),
  ),
  page: fc.oneof(
    fc.webUrl(),
    fc.constantFrom('https://example.com/open', 'http://localhost:3000/'),
    hostileText,
  ),
  token: fc.oneof(
    fc.base64String().map((text) => text.replaceAll(/[+/=]/g, '-')),
    hostileText,
  ),
  key: fc.array(fc.nat(255), { minLength: 32, maxLength: 32 }),
  edits: fc.array(edit, { maxLength: 2 }),
});

/** Returns what `work` returns, or undefined when it throws a UsageError. */
function attempt<Result>(work: () => Result, secret: string): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (secret.length > 12 && error.message.includes(secret)) {
      throw new Error('The error quotes the link', { cause: error });
    }
    return undefined;
  }
}

export const links: Target<Input> = {
  name: 'links',
  weight: 1,
  inputs,
  async attempt({ link, page, token, key, edits }) {
    const bytes = Uint8Array.from(key);
    const id = '019cadd9-1528-7f5e-848b-0eb02474ebdb';
    const written = attempt(() => writeLink(page, { token, id, key: bytes }), token);
    if (written !== undefined && /^[\w-]+$/.test(token)) {
      const read = readLink(written);
      if (read.token !== token || read.id !== id || Buffer.compare(read.key, bytes) !== 0) {
        throw new Error(`${written} was written and is read as another link`);
      }
    }
    const changed = apply(link ?? written ?? '', edits);
    const read = attempt(() => readLink(changed), changed);
    if (read && (read.key.length !== 32 || !/^[\w-]+$/.test(read.token))) {
      throw new Error(`${changed} is not a link and was read as one`);
    }
  },
};
