import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { loadedOnce } from '../../clock.ts';
import { securityHeaders } from '../headers.ts';
import { cacheableReply, entityTag } from '../replies.ts';
import type { FlatHeaders } from '../request.ts';
import { type Page, prefersHtml } from './pages.ts';

/** The page in the bundle. `share-page/` has its sources. */
const builtPage = new URL('./share/index.html', import.meta.url);

/** Its builder in the sources. The name is not a literal, so that the bundle does not contain esbuild. */
const builder = new URL('../../../share-page/build.ts', import.meta.url).href;

/**
 * The page that share links lead to: it fetches a document and decrypts it in the browser. Browsers that
 * open the root are sent there, and keep the fragment of their address.
 */
export function sharePages(https: boolean): [path: string, page: Page][] {
  return [
    ['/share/', sharePage(https)],
    ['/share', async () => ({ status: 308, headers: ['Location', 'share/'] })],
    ['/', redirectToSharePage],
  ];
}

/** Returns undefined for clients that do not prefer HTML: the root is no operation of the contract. */
const redirectToSharePage: Page = async (ctx) => {
  if (!prefersHtml(ctx)) return undefined;
  return { status: 302, headers: ['Location', 'share/', 'Vary', 'Accept'] };
};

interface Content {
  readonly body: string;
  readonly etag: string;
  readonly securityHeaders: FlatHeaders;
}

function sharePage(https: boolean): Page {
  const content = loadedOnce(() => loadPage(https));
  return async (ctx) =>
    cacheableReply(ctx, { ...(await content()), type: 'text/html; charset=utf-8' });
}

async function loadPage(https: boolean): Promise<Content> {
  const isSource = import.meta.url.endsWith('.ts');
  const body = isSource ? await buildPage() : await readFile(builtPage, 'utf8');
  return { body, etag: entityTag(body), securityHeaders: policyOf(body, https) };
}

async function buildPage(): Promise<string> {
  const { buildSharePage }: { buildSharePage(): Promise<string> } = await import(builder);
  return buildSharePage();
}

/**
 * Allows the page its own script and style, requests to this server, and previews of files that it has
 * decrypted. Nothing can turn text into code.
 */
function policyOf(html: string, https: boolean): FlatHeaders {
  return securityHeaders({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [hashOf(html, 'script type="module"', 'script')],
        styleSrc: [hashOf(html, 'style', 'style')],
        imgSrc: ['blob:', 'data:'],
        mediaSrc: ['blob:'],
        frameSrc: ['blob:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    xXssProtection: false,
    strictTransportSecurity: https,
  });
}

/** The CSP source of the only element with this opening tag. */
function hashOf(html: string, opening: string, name: string): string {
  const start = html.indexOf(`<${opening}>`) + opening.length + 2;
  const text = html.slice(start, html.indexOf(`</${name}>`, start));
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
