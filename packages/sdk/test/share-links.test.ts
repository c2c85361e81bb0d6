import { type CreatedShare, DecryptionError, UsageError } from '@document-vault/sdk';
import type { Cipher } from '@document-vault/sdk/crypto';
import { openShare, type ShareUrlOptions, shareUrl } from '@document-vault/sdk/share';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { keyClient, rejection } from './support/client.ts';
import { scriptedFetch } from './support/fetch.ts';
import { json } from './support/responses.ts';

const page = 'https://app.example.com/open?lang=en';
const token = `tok_${'a1-B'.repeat(9)}xyz`;
const text = 'For your eyes only';

let cipher: Cipher;
let document: Awaited<ReturnType<typeof uploaded>>;
let link: string;

async function uploaded() {
  const source = new TextEncoder().encode(text);
  const about = { id: 'd1', fileName: 'secret plan.txt', mimeType: 'text/plain' };
  const sealed = await cipher.seal(source, { ...about, encryptFileName: true });
  return { vaultId: 'v1', ...sealed };
}

const share = (change: Partial<CreatedShare> = {}) =>
  ({ id: 's1', documentId: 'd1', access: 'anyone', shareToken: token, ...change }) as CreatedShare;

beforeAll(async () => {
  cipher = await cheapCipher('open sesame');
  document = await uploaded();
  link = await shareUrl(share(), { cipher, document, page });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const serving = () => scriptedFetch(() => json(document));
const keyOf = (url: string) => url.split('.').at(-1) ?? '';

describe('guarantee 15, share links: what they look like', () => {
  test('a link ends with version, token, document and key in URL-safe characters', () => {
    expect(link).toMatch(
      /^https:\/\/app\.example\.com\/open\?lang=en#v2\.tok_[\w-]+\.d1\.[\w-]{43}$/,
    );
    expect(new URL(link).hash.split('.')[1]).toBe(token);
    expect(link).toMatch(/[A-Za-z0-9]$/);
  });

  test('a link without page points at the service, and openShare requests the document there', async () => {
    const { fetch, sent } = scriptedFetch(({ method }) =>
      method === 'POST' ? json(share(), { status: 201 }) : json(document),
    );
    const client = keyClient({ fetch, baseUrl: 'https://vault.example.com/prefix/' });
    const created = await client.shares.create('d1', { access: 'anyone' });
    expect(created).toEqual(share());
    expect(JSON.stringify(created)).toBe(JSON.stringify(share()));
    expect(await shareUrl(created, { cipher })).toBe(
      `https://vault.example.com/prefix/share/#v2.${token}.d1.${keyOf(link)}`,
    );
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://vault.example.com/prefix/api/v1/documents/d1/share',
      'GET https://vault.example.com/prefix/api/v1/documents/d1?content=false',
    ]);
    await shareUrl(created, { cipher, document, page });
    expect(sent).toHaveLength(2);
  });

  test.each<[string, Partial<CreatedShare>, Partial<ShareUrlOptions>, string]>([
    ['a share for callers with credentials', { access: 'authenticated' }, {}, "access: 'anyone'"],
    ['a share without its token', { shareToken: undefined as unknown as string }, {}, 'no token'],
    [
      'a share of another document',
      { documentId: 'd2' },
      {},
      'document is not the document of the share',
    ],
    ['a copy of a share, and no page', {}, { page: undefined }, 'page is required'],
    ['a copy of a share, and no document', {}, { document: undefined }, 'document is required'],
    ['a page that is no URL', {}, { page: '/open' }, 'page must be an absolute URL'],
    ['a page with a fragment', {}, { page: `${page}#top` }, 'fragment'],
    ['a page with credentials', {}, { page: 'https://me:too@example.com/' }, 'credentials'],
    ['a page that others can change', {}, { page: 'http://app.example.com/' }, 'https'],
    ['a page of no web', {}, { page: 'file:///open.html' }, 'https'],
  ])('are not made of %s', async (_, change, options, message) => {
    const error = await rejection(shareUrl(share(change), { cipher, document, page, ...options }));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain(token);
  });

  test('shareUrl rejects documents of another cipher', async () => {
    const other = await cheapCipher('open barley');
    const mismatch = await rejection(shareUrl(share(), { cipher: other, document, page }));
    expect(mismatch).toMatchObject({ name: 'DecryptionError', reason: 'key' });
  });

  test('shareUrl accepts a page with http: on this machine', async () => {
    for (const local of ['http://localhost:5173/', 'http://127.0.0.1/open', 'http://[::1]:80/x']) {
      expect(await shareUrl(share(), { cipher, document, page: local })).toContain('#v2.');
    }
  });
});

describe('guarantee 15, share links: opening one', () => {
  test('openShare needs only the link and sends neither fragment nor credentials', async () => {
    const { fetch, sent } = serving();
    const opened = await openShare(link, { fetch });
    expect(Buffer.from(opened.bytes).toString()).toBe(text);
    expect(opened).toMatchObject({ fileName: 'secret plan.txt', mimeType: 'text/plain' });
    expect(opened.document).not.toHaveProperty('encryptedData');
    expect(sent).toMatchObject([
      { url: `https://app.example.com/api/v1/documents/share/${token}`, method: 'GET', body: null },
    ]);
    expect(Object.keys(sent[0]?.headers ?? {})).toEqual(['accept', 'user-agent']);
    expect(JSON.stringify(sent)).not.toContain(keyOf(link));
  });

  test('openShare requests the baseUrl of the caller and never a service that the link names', async () => {
    const { fetch, sent } = serving();
    await openShare(new URL(link), { fetch, baseUrl: 'https://vault.example.com/prefix' });
    const naming = link.replace('lang=en', 'baseUrl=https://evil.example.com');
    await openShare(naming, { fetch });
    expect(sent.map(({ url }) => new URL(url).origin)).toEqual([
      'https://vault.example.com',
      'https://app.example.com',
    ]);
  });

  test('openShare requests the service of a link to its own page, below its path', async () => {
    const { fetch, sent } = serving();
    for (const path of ['/share/', '/prefix/share/', '/share', '/shared/']) {
      await openShare(`https://vault.example.com${path}${new URL(link).hash}`, { fetch });
    }
    expect(sent.map(({ url }) => url.replace(/api.*/, ''))).toEqual([
      'https://vault.example.com/',
      'https://vault.example.com/prefix/',
      'https://vault.example.com/',
      'https://vault.example.com/',
    ]);
  });

  test('openShare accepts call options and withResponse returns the response', async () => {
    const { fetch } = serving();
    const { data, rateLimit } = await openShare(link, { fetch }).withResponse();
    expect(data.bytes).toHaveLength(text.length);
    expect(rateLimit?.tier).toBe('paid');
    const signal = AbortSignal.abort();
    expect(await rejection(openShare(link, { fetch, signal }))).toMatchObject({
      name: 'AbortError',
      path: '/api/v1/documents/share/{token}',
    });
    const slow = { fetch: () => new Promise<never>(() => {}), timeout: 1, maxRetries: 0 };
    expect(await rejection(openShare(link, slow))).toMatchObject({ name: 'TimeoutError' });
  });

  test('openShare rejects http: of other machines without allowInsecureHttp', async () => {
    const { fetch, sent } = serving();
    const insecure = link.replace('https://app', 'http://app');
    expect(await rejection(openShare(insecure, { fetch }))).toBeInstanceOf(UsageError);
    expect(sent).toHaveLength(0);
    await openShare(insecure, { fetch, allowInsecureHttp: true });
    expect(sent).toHaveLength(1);
  });

  const fragment = (change: (parts: string[]) => unknown[]) => () =>
    `${page}#${change(['v2', token, 'd1', keyOf(link)]).join('.')}`;
  test.each<[string, () => string, string]>([
    ['is no URL', () => 'v2.token.d1.key', 'absolute URL'],
    ['has no fragment', () => page, 'no fragment'],
    ['has an empty fragment', () => `${page}#`, 'no fragment'],
    ['has another fragment', () => `${page}#section-2`, 'Not a share link'],
    ['has another version', fragment(([, ...rest]) => ['v1', ...rest]), 'Not a share link'],
    [
      'has no token',
      fragment(([version, , ...rest]) => [version, '', ...rest]),
      'token of the link is missing',
    ],
    [
      'has a token of a path',
      fragment(([version, , ...rest]) => [version, 'a/b', ...rest]),
      'token of the link is missing',
    ],
    [
      'has no document',
      fragment(([version, it, , key]) => [version, it, '', key]),
      'document of the link is missing',
    ],
    [
      'has no key',
      fragment(([version, it, id]) => [version, it, id]),
      'key of the link is incomplete',
    ],
    ['was cut off', () => link.slice(0, -1), 'key of the link is incomplete'],
    ['has a letter too many', () => `${link}A`, 'key of the link is incomplete'],
    ['has a comma after it', () => `${link},`, 'key of the link is incomplete'],
    ['has a full stop after it', () => `${link}.`, 'more than token, document and key'],
  ])('is refused before anything is sent when it %s', async (_, malformed, message) => {
    const { fetch, sent } = serving();
    const error = await rejection(openShare(malformed(), { fetch }));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(message);
    expect(error).not.toHaveProperty('cause');
    expect(String(error)).not.toContain(keyOf(link).slice(0, 20));
    expect(sent).toHaveLength(0);
  });

  test('openShare without Web Crypto rejects before it spends an access', async () => {
    const { fetch, sent } = serving();
    vi.stubGlobal('crypto', {});
    expect(await rejection(openShare(link, { fetch }))).toBeInstanceOf(UsageError);
    expect(sent).toHaveLength(0);
  });

  const flip = (bytes: Uint8Array, bit: number) => {
    const changed = Buffer.from(bytes);
    const at = bit % (bytes.length * 8);
    changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
    return changed;
  };
  const flipped = (base64: string, bit: number) =>
    flip(Buffer.from(base64, 'base64'), bit).toString('base64');

  test.each<[string, (bit: number) => object]>([
    ['content', (bit) => ({ encryptedData: flipped(document.encryptedData, bit) })],
    ['vector', (bit) => ({ encryptionMetadata: metadata('iv', bit) })],
    ['tag', (bit) => ({ encryptionMetadata: metadata('authTag', bit) })],
    ['name', (bit) => ({ fileName: `enc.${url64(flip(nameBytes(), bit))}` })],
    ['algorithm', () => ({ encryptionMetadata: metadata('algorithm', 0) })],
  ])('fails with any bit of the %s changed', async (_, change) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (bit) => {
        const { fetch } = scriptedFetch(() => json({ ...document, ...change(bit) }));
        expect(await rejection(openShare(link, { fetch }))).toBeInstanceOf(DecryptionError);
      }),
      { numRuns: 30 },
    );
  });

  test('openShare rejects after any bit of the key was changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (bit) => {
        const changed = url64(flip(Buffer.from(keyOf(link), 'base64url'), bit));
        const { fetch } = serving();
        const error = await rejection(openShare(link.replace(keyOf(link), changed), { fetch }));
        expect(error).toBeInstanceOf(DecryptionError);
        expect(error).toMatchObject({ reason: 'key' });
      }),
      { numRuns: 30 },
    );
  });

  const url64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  const nameBytes = () => Buffer.from(document.fileName.slice(4), 'base64url');
  const metadata = (field: 'iv' | 'authTag' | 'algorithm', bit: number) => ({
    ...document.encryptionMetadata,
    [field]: flipped(document.encryptionMetadata[field], bit),
  });
});
