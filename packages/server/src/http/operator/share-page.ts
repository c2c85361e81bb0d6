import { pageHeaders } from '../headers.ts';
import type { FlatHeaders } from '../request.ts';
import {
  builtText,
  fileWorkerPage,
  type OperatorPage,
  pageOf,
  redirectTo,
  sourceOf,
} from './pages.ts';

/** The builder of the page. The name is not a literal, so that the bundle does not contain esbuild. */
const builder = new URL('../../../share-page/build.ts', import.meta.url).href;

/** The page that share links lead to: it fetches a document and decrypts it in the browser. */
export function sharePages(https: boolean): [path: string, page: OperatorPage][] {
  return [
    ['/share/', pageOf(() => loadPage(https))],
    ['/share/service-worker.js', fileWorkerPage(https)],
    ['/share', redirectTo('share/')],
  ];
}

async function loadPage(https: boolean) {
  const body = await builtText('share-page.html', async () => {
    const { buildSharePage }: { buildSharePage(): Promise<string> } = await import(builder);
    return buildSharePage();
  });
  return { type: 'text/html; charset=utf-8', body, securityHeaders: policyOf(body, https) };
}

/**
 * Allows the page its own script, style and service worker, requests to this server, and previews of files that
 * it has decrypted. Nothing can turn text into code.
 */
function policyOf(html: string, https: boolean): FlatHeaders {
  return pageHeaders(https, [
    `script-src ${hashOf(html, 'script type="module"', 'script')}`,
    `style-src ${hashOf(html, 'style', 'style')}`,
    'img-src blob: data:',
    "media-src blob: 'self'",
    "frame-src blob: 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types service-worker',
  ]);
}

/** The CSP source of the only element with this opening tag. */
function hashOf(html: string, opening: string, name: string): string {
  const start = html.indexOf(`<${opening}>`) + opening.length + 2;
  return sourceOf(html.slice(start, html.indexOf(`</${name}>`, start)));
}
