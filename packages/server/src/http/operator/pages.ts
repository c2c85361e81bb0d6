import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { loadedOnce } from '../../lib/clock.ts';
import { pageHeaders } from '../headers.ts';
import { cacheableReply, entityTag } from '../replies.ts';
import type { Context, FlatHeaders, Reply } from '../request.ts';

/** Runs beside the event loop. */
const compress = promisify(gzip);

/** Whether the client names HTML in Accept and prefers it to JSON. */
export function prefersHtml(ctx: Context): boolean {
  return ctx.accepts('application/json', 'text/html') === 'text/html';
}

/** Responds to a request for one path; resolves with undefined when the page is not for this client. */
export type OperatorPage = (ctx: Context) => Promise<Reply | undefined>;

interface Content {
  readonly type: string;
  readonly body: string | Buffer;
  readonly securityHeaders: FlatHeaders;
}

/** Returns the page of a content, which is loaded and compressed at its first request. */
export function pageOf(load: () => Promise<Content>): OperatorPage {
  const content = loadedOnce(async () => {
    const { body, ...about } = await load();
    const gzipped = await compress(body);
    return {
      plain: { ...about, body, etag: entityTag(body) },
      gzipped: { ...about, body: gzipped, etag: entityTag(gzipped) },
    };
  });
  return async (ctx) => {
    const { plain, gzipped } = await content();
    const isCompressed = ctx.acceptsEncodings('gzip') === 'gzip';
    const reply = cacheableReply(ctx, isCompressed ? gzipped : plain);
    const encoding = isCompressed && reply.status === 200 ? ['Content-Encoding', 'gzip'] : [];
    const headers = [...(reply.headers ?? []), 'Vary', 'Accept-Encoding', ...encoding];
    return { ...reply, headers };
  };
}

/** Returns the page of a path that browsers open in place of another one. */
export function redirectTo(location: string): OperatorPage {
  return async () => ({ status: 308, headers: ['Location', location] });
}

/** The source of an inline script or style in a policy. */
export function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Reads a file that the build has made for browsers, or makes it when the server runs from its sources. */
export function builtText(file: string, build: () => Promise<string>): Promise<string> {
  const inSources = import.meta.url.endsWith('.ts');
  return inSources ? build() : readFile(new URL(file, import.meta.url), 'utf8');
}

/** The builder of the service worker. The name is not a literal, so that the bundle does not contain esbuild. */
const workerBuilder = new URL('../../../file-worker/build.ts', import.meta.url).href;

/**
 * The service worker of the page of share links and of the console: each has it below its own path, which decides for
 * which pages it works.
 */
export function fileWorkerPage(https: boolean): OperatorPage {
  const headers = pageHeaders(https, []);
  return pageOf(async () => ({
    type: 'text/javascript; charset=utf-8',
    body: await builtText('file-worker.js', buildWorker),
    securityHeaders: headers,
  }));
}

async function buildWorker(): Promise<string> {
  const { buildFileWorker }: { buildFileWorker(): Promise<string> } = await import(workerBuilder);
  return buildFileWorker();
}

/** Beside this file in the sources, beside its chunk in the bundle. */
const folder = new URL('./docs/', import.meta.url);

/** Our own files. Links are relative to `/docs`, so that they work behind a proxy's path. */
const ownAssets = [
  ['/docs', 'text/html; charset=utf-8', 'index.html'],
  ['/docs/reference.js', 'text/javascript; charset=utf-8', 'reference.js'],
  ['/docs/favicon.svg', 'image/svg+xml', 'favicon.svg'],
] as const;

/** The API reference, in which keys can be tried. It loads files of this server only. */
export function docsPages(https: boolean): [path: string, page: OperatorPage][] {
  const headers = pageHeaders(https, [
    "script-src 'self'",
    // Scalar inserts its styles as <style> elements and style attributes.
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
  ]);
  const page = (type: string, file: URL) =>
    pageOf(async () => ({ type, body: await readFile(file), securityHeaders: headers }));
  return [
    ...ownAssets.map(([path, type, file]): [string, OperatorPage] => [
      path,
      page(type, new URL(file, folder)),
    ]),
    ['/docs/scalar.js', page('text/javascript; charset=utf-8', scalarFile())],
    ['/docs/', redirectTo('../docs')],
  ];
}

/** Scalar in one file of 4 MB. The build copies it beside ours; the sources find it in its package. */
function scalarFile(): URL {
  if (!import.meta.url.endsWith('.ts')) return new URL('scalar.js', folder);
  const { resolve } = createRequire(import.meta.url);
  // `exports` of the package does not name the file.
  return new URL('browser/standalone.js', pathToFileURL(resolve('@scalar/api-reference')));
}

const firstQuery = `# Your API key goes under Headers below.
# Then re-fetch the schema (the arrows on the left).
{
  vaults {
    data {
      id
      name
      documentCount
    }
    pagination {
      totalCount
    }
  }
}
`;

const firstHeaders = '{ "x-api-key": "" }';

/**
 * GraphiQL for browsers that open `/graphql`: one file of 9 MB, rendered at its first request. Other clients
 * get GraphQL there.
 */
export function graphiqlPage(https: boolean): OperatorPage {
  const page = pageOf(() => renderGraphiql(https));
  return async (ctx) => (prefersHtml(ctx) ? page(ctx) : undefined);
}

async function renderGraphiql(https: boolean): Promise<Content> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({
    title: 'Document Vault: GraphQL',
    defaultQuery: firstQuery,
    headers: firstHeaders,
  });
  return {
    type: 'text/html; charset=utf-8',
    body: html,
    securityHeaders: policyOf(scriptOf(html), https),
  };
}

/** The only script of the page. */
function scriptOf(html: string): string {
  const opening = '<script>';
  return html.slice(html.indexOf(opening) + opening.length, html.lastIndexOf('</script>'));
}

/** Allows the page its own script with its workers, and requests to this server. */
function policyOf(script: string, https: boolean) {
  return pageHeaders(https, [
    `script-src ${sourceOf(script)}`,
    'worker-src blob:',
    // The editor writes inline styles.
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "connect-src 'self'",
  ]);
}
