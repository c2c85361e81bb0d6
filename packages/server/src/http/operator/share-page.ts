import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { loadedOnce } from '../../clock.ts';
import { securityHeaders } from '../headers.ts';
import { cacheableReply, entityTag } from '../replies.ts';
import type { FlatHeaders } from '../request.ts';
import type { Page } from './pages.ts';

/** The files of the page in the bundle. `share-page/` has their sources. */
const built = new URL('./share/', import.meta.url);

/** Their builder in the sources. The name is not a literal, so that the bundle does not contain esbuild. */
const builder = new URL('../../../share-page/build.ts', import.meta.url).href;

/** The page that share links lead to: it fetches a document and decrypts it in the browser. */
export function sharePages(https: boolean): [path: string, page: Page][] {
  return [
    ['/share/', sharePage(() => loadPage(https))],
    ['/share/service-worker.js', fileWorkerPage(https)],
    ['/share', async () => ({ status: 308, headers: ['Location', 'share/'] })],
  ];
}

/** The service worker of this page and of the console. Its address decides for which of them. */
export function fileWorkerPage(https: boolean): Page {
  return sharePage(() => loadWorker(https));
}

interface Content {
  readonly type: string;
  readonly body: string;
  readonly etag: string;
  readonly securityHeaders: FlatHeaders;
}

function sharePage(load: () => Promise<Content>): Page {
  const content = loadedOnce(load);
  return async (ctx) => cacheableReply(ctx, await content());
}

async function loadPage(https: boolean): Promise<Content> {
  const body = await fileOf('index.html', ({ buildSharePage }) => buildSharePage());
  const type = 'text/html; charset=utf-8';
  return { type, body, etag: entityTag(body), securityHeaders: policyOf(body, https) };
}

async function loadWorker(https: boolean): Promise<Content> {
  const body = await fileOf('service-worker.js', ({ buildFileWorker }) => buildFileWorker());
  const headers = securityHeaders({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } },
    strictTransportSecurity: https,
  });
  const type = 'text/javascript; charset=utf-8';
  return { type, body, etag: entityTag(body), securityHeaders: headers };
}

interface Builder {
  buildSharePage(): Promise<string>;
  buildFileWorker(): Promise<string>;
}

/** Reads a built file, or builds it when the server runs from its sources. */
async function fileOf(name: string, build: (builder: Builder) => Promise<string>): Promise<string> {
  const isSource = import.meta.url.endsWith('.ts');
  return isSource ? build(await import(builder)) : readFile(new URL(name, built), 'utf8');
}

/**
 * Allows the page its own script, style and service worker, requests to this server, and previews of files that
 * it has decrypted. Nothing can turn text into code.
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
        mediaSrc: ['blob:', "'self'"],
        frameSrc: ['blob:', "'self'"],
        workerSrc: ["'self'"],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ['service-worker'],
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
