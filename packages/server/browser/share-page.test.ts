import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentVault } from '@document-vault/sdk';
import { type Cipher, createCipher } from '@document-vault/sdk/crypto';
import { shareUrl } from '@document-vault/sdk/share';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { violationsOfThemes } from '../../../test/axe.ts';
import { launchChromium } from '../../../test/chromium.ts';
import { colourShown, encodeFrames, tone, writeFilm } from '../../../test/film.ts';
import { type RunningServer, startServer } from '../src/index.ts';

// The page of share links in Chromium, with the real server behind it.

let browser: Browser;
let server: RunningServer;
let client: DocumentVault;
let cipher: Cipher;
let vaultId: string;
beforeAll(async () => {
  browser = await launchChromium();
  server = await startServer({ port: 0, data: ':memory:', mode: 'development', logLevel: 'error' });
  cipher = await createCipher({ passphrase: 'open sesame' });
});
beforeEach(async () => {
  await server.reset();
  client = new DocumentVault({ baseUrl: server.url, apiKey: server.apiKey ?? '' });
  vaultId = (await client.vaults.create({ name: 'Shared' })).id;
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

interface SharedFile {
  readonly bytes?: Uint8Array | string;
  readonly fileName?: string;
  readonly mimeType?: string;
  readonly share?: Parameters<DocumentVault['shares']['create']>[1];
}

/** Returns a film, each second of which has another colour than the one before. */
async function film(options = { seconds: 8, secondBytes: 0 }): Promise<Buffer> {
  const page = await browser.newPage();
  await page.goto(`${server.url}/share/`);
  const frames = await encodeFrames(page);
  await page.close();
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-film-'));
  try {
    const path = join(folder, 'film.webm');
    await writeFilm(path, frames, options);
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Uploads a file and returns the link of a new share. */
async function linkTo({ bytes = 'Total: 42', share, ...file }: SharedFile = {}): Promise<string> {
  const { fileName = 'return.txt', mimeType = 'text/plain' } = file;
  const options = { vaultId, cipher, fileName, mimeType, encryptFileName: true };
  const document = await client.documents.upload(bytes, options);
  const created = await client.shares.create(document.id, { access: 'anyone', ...share });
  return shareUrl(created, { cipher, document });
}

/** Number of accesses that the service has counted. */
async function accesses(): Promise<number> {
  return (await server.events()).filter(({ type }) => type === 'document.share.accessed').length;
}

interface Visit {
  readonly page: Page;
  /** Requests to other hosts, violations of the policy, and page errors. */
  readonly problems: string[];
  /** Paths of the requests, and everything that the requests contained. */
  readonly paths: string[];
  readonly sent: string[];
}

interface Screen {
  readonly width?: number;
  /** Blocked: as in a private window. */
  readonly serviceWorkers?: 'allow' | 'block';
}

/** Those of files that the page made, and of the browser's PDF viewer. */
const localProtocols = new Set(['blob:', 'data:', 'chrome:', 'chrome-extension:']);

/** Opens an address in a new context. */
async function visit(
  address: string,
  { width = 1280, serviceWorkers = 'allow' }: Screen = {},
): Promise<Visit> {
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ viewport, serviceWorkers });
  const page = await context.newPage();
  const problems: string[] = [];
  const paths: string[] = [];
  const sent: string[] = [];
  page.on('request', async (request) => {
    const { protocol, origin, pathname } = new URL(request.url());
    if (localProtocols.has(protocol)) return;
    if (origin !== server.url) problems.push(request.url());
    paths.push(pathname);
    if (request.resourceType() === 'document') return;
    sent.push(JSON.stringify([request.url(), request.headers(), request.postData()]));
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.exposeFunction('reportViolation', (violation: string) => problems.push(violation));
  await page.addInitScript(() => {
    const { reportViolation } = window as unknown as { reportViolation(text: string): void };
    document.addEventListener('securitypolicyviolation', (event) =>
      reportViolation(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  await page.goto(address);
  return { page, problems, paths, sent };
}

async function open(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open the file' }).click();
}

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

describe('the page of a share link', () => {
  test.each([
    [
      'the charset of its type',
      'text/plain; charset=iso-8859-2',
      [0x50, 0xf8, 0xed, 0x6b, 0x61, 0x7a],
    ],
    ['its byte order mark', 'text/plain', [0xff, 0xfe, ...Buffer.from('Příkaz', 'utf16le')]],
    ['UTF-8', 'text/plain', [...Buffer.from('Příkaz')]],
  ])('decodes a text by %s', async (_, mimeType, bytes) => {
    const { page } = await visit(await linkTo({ bytes: new Uint8Array(bytes), mimeType }));
    await open(page);
    await heading(page, 'return.txt');
    expect(await page.getByRole('region', { name: 'return.txt' }).textContent()).toBe('Příkaz');
  });

  test('counts an access at the click, shows the file, and keeps the key to itself', async () => {
    const link = await linkTo();
    const key = link.split('.').at(-1) as string;
    const { page, problems, paths, sent } = await visit(link);
    await heading(page, 'You received a file');
    expect(page.url()).toBe(`${server.url}/share/`);
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    expect([await accesses(), paths]).toEqual([0, ['/share/']]);

    await open(page);
    await heading(page, 'return.txt');
    expect(await page.getByRole('region', { name: 'return.txt' }).textContent()).toBe('Total: 42');
    await page.getByText('9 bytes · text/plain').waitFor();
    expect(await page.title()).toBe('return.txt – Document Vault');
    expect(await accesses()).toBe(1);
    expect(sent).toHaveLength(2);
    expect(sent.join()).not.toContain(key);
    expect(await page.content()).not.toContain(key);
    expect(problems).toEqual([]);
  });

  test('downloads the decrypted bytes under the name of the file', async () => {
    const bytes = new Uint8Array(3_000_000).map((_, index) => index * 31);
    const link = await linkTo({ bytes, fileName: 'photos.zip', mimeType: 'application/zip' });
    const { page, problems } = await visit(link);
    await open(page);
    await heading(page, 'photos.zip');
    await page.getByText('3 MB · application/zip').waitFor();
    expect(await page.locator('#preview').innerHTML()).toBe('');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('photos.zip');
    expect(Buffer.compare(await readFile(await download.path()), bytes)).toBe(0);
    expect(problems).toEqual([]);
  });

  test('asks for the link again after a reload, and takes another link in the same tab', async () => {
    const { page, problems } = await visit(await linkTo());
    await heading(page, 'You received a file');
    await page.reload();
    await heading(page, 'Open a share link');
    await page.goto(await linkTo({ fileName: 'second.txt' }));
    await open(page);
    await heading(page, 'second.txt');
    expect(problems).toEqual([]);
  });

  test('another link ends the download of the first, whose file is not shown', async () => {
    const [first, second] = [
      await linkTo({ fileName: 'first.txt' }),
      await linkTo({ fileName: 'second.txt' }),
    ];
    const { page, problems } = await visit(first);
    const held = Promise.withResolvers<void>();
    await page.route(
      '**/documents/share/**',
      async (route) => {
        await held.promise;
        await route.continue().catch(() => undefined);
      },
      { times: 1 },
    );
    await open(page);
    await heading(page, 'Opening the file');
    const ended = page.waitForEvent('requestfailed');
    await page.evaluate((link) => location.assign(link), second);
    await ended;
    held.resolve();
    await open(page);
    await heading(page, 'second.txt');
    expect(problems).toEqual([]);
  });

  test('opens old links to the root, whose fragment survives the redirect', async () => {
    const { page } = await visit((await linkTo()).replace('/share/', '/'));
    expect(page.url()).toBe(`${server.url}/share/`);
    await open(page);
    await heading(page, 'return.txt');
  });
});

describe('the preview', () => {
  test('shows a picture, and says when the browser cannot read one', async () => {
    const bytes = Buffer.from('R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=', 'base64');
    const picture = { fileName: 'dot.gif', mimeType: 'image/gif' };
    const { page, problems } = await visit(await linkTo({ bytes, ...picture }));
    await open(page);
    const image = page.getByRole('img', { name: 'dot.gif' });
    await image.waitFor();
    const isLoaded = (element: Element) => (element as HTMLImageElement).naturalWidth === 1;
    await expect.poll(() => image.evaluate(isLoaded)).toBe(true);
    await page.goto(await linkTo({ bytes: 'no picture', ...picture }));
    await open(page);
    await page.getByText('Your browser cannot show this file.').waitFor();
    expect(problems).toEqual([]);
  });

  test('plays a video from another moment than its start', async () => {
    const bytes = await film();
    const link = await linkTo({ bytes, fileName: 'film.webm', mimeType: 'video/webm' });
    const { page, problems } = await visit(link);
    await open(page);
    const video = page.locator('video[title="film.webm"][controls]');
    await video.waitFor();
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 2);
    expect(await video.evaluate((node) => (node as HTMLVideoElement).duration)).toBe(8);
    expect(await video.evaluate((node) => (node as HTMLVideoElement).paused)).toBe(true);
    await video.evaluate(async (node) => {
      const player = node as HTMLVideoElement;
      player.muted = true;
      player.currentTime = 5.5;
      await new Promise((resolve) => player.addEventListener('seeked', resolve, { once: true }));
    });
    expect(await colourShown(page, 'video')).toBe(5);
    await video.evaluate((node) => (node as HTMLVideoElement).play());
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 6.2);
    expect(await accesses()).toBe(1);
    expect(problems).toEqual([]);
  });

  test('plays a sound, and says when the browser cannot play one', async () => {
    const sound = { fileName: 'tone.wav', mimeType: 'audio/wav' };
    const { page, problems } = await visit(await linkTo({ bytes: tone(3), ...sound }));
    await open(page);
    const audio = page.locator('audio[title="tone.wav"][controls]');
    await audio.waitFor();
    await audio.evaluate((node) => (node as HTMLAudioElement).play());
    await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 0.3);
    expect(await audio.evaluate((node) => (node as HTMLAudioElement).duration)).toBe(3);
    await page.goto(await linkTo({ bytes: 'no sound', ...sound }));
    await open(page);
    await page.getByText('Your browser cannot show this file.').waitFor();
    expect(await audio.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('shows a PDF in the viewer of the browser', async () => {
    const bytes = await readFile(new URL('../../../examples/letter.pdf', import.meta.url));
    const link = await linkTo({ bytes, fileName: 'letter.pdf', mimeType: 'application/pdf' });
    const { page, problems } = await visit(link);
    await open(page);
    const frame = page.locator('iframe[title="letter.pdf"]');
    await frame.waitFor();
    expect(await frame.getAttribute('src')).toMatch(/^blob:.*#navpanes=0$/);
    expect(problems).toEqual([]);
  });

  test.each([
    ['text/html', true],
    ['image/svg+xml', false],
    ['application/xhtml+xml', false],
  ])('never runs %s as a document', async (mimeType, isShownAsText) => {
    const script =
      '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "run"</script></svg>';
    const { page, problems } = await visit(
      await linkTo({ bytes: script, fileName: 'a', mimeType }),
    );
    await open(page);
    await heading(page, 'a');
    expect(await page.locator('#preview :is(iframe, img, svg, script)').count()).toBe(0);
    expect(await page.locator('#preview pre').count()).toBe(isShownAsText ? 1 : 0);
    expect(await page.title()).toBe('a – Document Vault');
    expect(problems).toEqual([]);
  });

  test('shows the start of a long text', async () => {
    const { page } = await visit(await linkTo({ bytes: 'a'.repeat(300_000) }));
    await open(page);
    await page.getByText('This is the start of the text.').waitFor();
    expect((await page.locator('pre').textContent())?.length).toBe(256 * 1024);
  });
});

describe('a file above 32 MiB', () => {
  const mebibyte = 2 ** 20;

  /** A film of 34 MiB. */
  async function largeFilm() {
    const bytes = await film({ seconds: 34, secondBytes: mebibyte });
    const link = await linkTo({ bytes, fileName: 'film.webm', mimeType: 'video/webm' });
    return { bytes, link };
  }

  test('is played from the middle and downloaded while it is decrypted, in one access', async () => {
    const { bytes, link } = await largeFilm();
    const { page, problems, sent } = await visit(link);
    await open(page);
    const video = page.locator('video[title="film.webm"][controls]');
    await video.waitFor();
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 1);
    await video.evaluate(async (node) => {
      const player = node as HTMLVideoElement;
      player.currentTime = 28.5;
      await new Promise((resolve) => player.addEventListener('seeked', resolve, { once: true }));
    });
    expect(await colourShown(page, 'video')).toBe(28 % 8);
    const starts = sent.flatMap((request) => {
      const [, start] = /"range":"bytes=(\d+)-/.exec(request) ?? [];
      return start === undefined ? [] : Number(start);
    });
    expect(Math.max(...starts)).toBeGreaterThanOrEqual(20 * mebibyte);

    await page.getByText('Keep the page open').waitFor();
    const saved = await page.getByRole('link', { name: 'Download' }).evaluate(async (link) => {
      const { headers, body } = await fetch((link as HTMLAnchorElement).href);
      await body?.cancel();
      return Object.fromEntries(headers);
    });
    expect(saved).toMatchObject({
      'content-security-policy': 'sandbox',
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
    });
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('film.webm');
    expect(Buffer.compare(await readFile(await download.path()), bytes)).toBe(0);
    expect(await accesses()).toBe(1);
    expect(sent.join()).not.toContain(link.split('.').at(-1));
    expect(problems).toEqual([]);
  });

  test('is played after a reload without the cache, which detaches the service worker', async () => {
    const { link } = await largeFilm();
    const { page, problems } = await visit(link);
    await open(page);
    const video = page.locator('video[title="film.webm"]');
    await video.waitFor();
    const session = await page.context().newCDPSession(page);
    const loaded = page.waitForEvent('load');
    await session.send('Page.reload', { ignoreCache: true });
    await loaded;
    await page.evaluate((address) => location.assign(address), link);
    const isControlled = () => page.evaluate(() => navigator.serviceWorker.controller !== null);
    expect(await isControlled()).toBe(false);
    await open(page);
    await video.waitFor();
    expect(await isControlled()).toBe(true);
    expect(await video.getAttribute('src')).toMatch(/\/share\/files\/[^/]+$/);
    expect(problems).toEqual([]);
  });

  test('is decrypted as a whole where the browser has no service worker', async () => {
    const { bytes, link } = await largeFilm();
    const { page, problems } = await visit(link, { serviceWorkers: 'block' });
    await open(page);
    await page.locator('video[title="film.webm"]').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    expect(Buffer.compare(await readFile(await (await downloading).path()), bytes)).toBe(0);
    expect(problems).toEqual([]);
  });
});

describe('a link that opens nothing', () => {
  const notFound = 'This link does not open a file';

  test('a spent, expired or unknown link names the possible reasons', async () => {
    const spent = await linkTo({ share: { maxAccessCount: 1 } });
    const first = await visit(spent);
    await open(first.page);
    await heading(first.page, 'return.txt');
    const expiresAt = new Date(server.clock.now() + 60_000).toISOString();
    const expired = await linkTo({ share: { expiresAt } });
    server.clock.advance(60_000);
    const unknown = spent.replace(/#v2\.[\w-]{9}/, '#v2.AAAAAAAAA');
    for (const link of [spent, expired, unknown]) {
      const { page, problems } = await visit(link);
      await open(page);
      await heading(page, notFound);
      await page.getByText('It has expired.').waitFor();
      expect(await page.getByRole('listitem').count()).toBe(4);
      expect(await page.getByRole('button').count()).toBe(0);
      expect(problems).toEqual([]);
    }
  });

  test('another file than the one of the link is not shown', async () => {
    const { page } = await visit(await linkTo());
    await page.route('**/api/v1/documents/share/*', async (route) => {
      const response = await route.fetch();
      const id = '019cadd9-1528-7f5e-848b-0eb02474ebdb';
      await route.fulfill({ response, json: { ...(await response.json()), id } });
    });
    await open(page);
    await heading(page, 'The file is not the one of the link');
    expect(await page.locator('#preview').isVisible()).toBe(false);
  });

  test('an incomplete link sends nothing, and a wrong key says so', async () => {
    const link = await linkTo();
    const cut = await visit(link.slice(0, -3));
    await open(cut.page);
    await heading(cut.page, 'The link is incomplete');
    expect([await accesses(), cut.sent]).toEqual([0, []]);
    const { page } = await visit(link.replace(/[^.]{43}$/, `${'A'.repeat(42)}E`));
    await open(page);
    await heading(page, 'The file cannot be decrypted');
  });

  test('a failed connection offers another try, which can succeed', async () => {
    const { page, problems } = await visit(await linkTo());
    await page.route('**/api/**', (route) => route.abort());
    await open(page);
    await heading(page, 'The service cannot be reached');
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'return.txt');
    expect(problems).toEqual([]);
  });
});

describe.each([1280, 320])('at a width of %i px', (width) => {
  test('every state fits the width, and axe finds no violation in both themes', async () => {
    const check = async (page: Page, state: string) => {
      const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(scrollWidth, state).toBe(width);
      expect(await violationsOfThemes(page), state).toEqual({ light: [], dark: [] });
    };
    const fileName = 'a-long-name-without-any-space-that-has-to-break-somewhere.txt';
    const bytes = 'a'.repeat(2000);
    const { page } = await visit(await linkTo({ bytes, fileName }), { width });
    await heading(page, 'You received a file');
    await check(page, 'ready');
    let proceed = () => undefined as unknown;
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    await page.route('**/api/**', async (route) => {
      await held;
      await route.continue();
    });
    await open(page);
    await page.getByText('Downloading and decrypting…').waitFor();
    await check(page, 'opening');
    proceed();
    await heading(page, fileName);
    await check(page, 'opened');
    await page.unrouteAll();
    await page.goto((await linkTo()).replace(/#v2\.[\w-]{9}/, '#v2.AAAAAAAAA'));
    await open(page);
    await heading(page, 'This link does not open a file');
    await check(page, 'problem');
  });
});
