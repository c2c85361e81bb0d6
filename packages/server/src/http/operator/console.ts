import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadedOnce } from '../../lib/clock.ts';
import { pageHeaders } from '../headers.ts';
import { cacheableReply, entityTag } from '../replies.ts';
import type { Context, FlatHeaders, Reply } from '../request.ts';
import { fileWorkerPage, type OperatorPage, prefersHtml } from './pages.ts';

/** The files of the console in the bundle. `packages/console` has their sources. */
const built = fileURLToPath(new URL('./console/', import.meta.url));

/** The console of the sources. The name is not a literal, so that the bundle does not contain Vite. */
const fromSources = new URL('../../../../console/from-sources.ts', import.meta.url).href;

interface ConsoleFile {
  readonly body: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** The files by their paths below `/console/`. */
type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

interface Sources {
  currentConsole(): Promise<ConsoleFiles>;
  sameConsole(): Promise<ConsoleFiles>;
}

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The smallest first. */
const compressions = ['br', 'gzip'] as const;

/** Folders in the address of a screen. The page repeats `../` for each of them. */
const maxDepth = 16;

/** Where the console is served. */
export const consolePath = '/console/';

/**
 * Returns the page of every path below `/console/`. Paths that are no asset show the console, which reads them as the
 * address of a screen. The service worker plays films that are too large for the memory of the page.
 */
export function consolePages(https: boolean): (path: string) => OperatorPage {
  const load = fileLoader();
  const headers = policy(https);
  const worker = fileWorkerPage(https);
  return (path) => async (ctx) => {
    const name = path.slice(consolePath.length);
    if (name === 'service-worker.js') return worker(ctx);
    const isAsset = name.startsWith('assets/');
    const files = await load(isAsset);
    if (!isAsset) return indexReply(ctx, { files, name, headers });
    const file = files.get(name);
    return file ? assetReply(ctx, { name, file, headers }) : notFound(headers);
  };
}

/** Sends browsers that open the root to a page, and keeps the fragment of their address. */
export function rootPage(location: string): OperatorPage {
  return async (ctx) =>
    prefersHtml(ctx)
      ? { status: 302, headers: ['Location', location, 'Vary', 'Accept'] }
      : undefined;
}

/**
 * Reads the built files once. A server that runs from its sources looks for changes at each page, and builds then: the
 * assets belong to the page.
 */
function fileLoader(): (isAsset: boolean) => Promise<ConsoleFiles> {
  const readOnce = loadedOnce(() => readFiles(built));
  if (!import.meta.url.endsWith('.ts')) return readOnce;
  return async (isAsset) => {
    const sources: Sources = await import(fromSources);
    return isAsset ? sources.sameConsole() : sources.currentConsole();
  };
}

async function readFiles(folder: string): Promise<ConsoleFiles> {
  const names = (await readdir(folder, { recursive: true })).map((name) =>
    name.replaceAll('\\', '/'),
  );
  const read = async (name: string) => {
    const [body, br, gzip] = await Promise.all(
      ['', '.br', '.gz'].map((ending) => readFile(join(folder, name + ending))),
    );
    return [name, { body, br, gzip } as ConsoleFile] as const;
  };
  const own = names.filter((name) => names.includes(`${name}.br`));
  return new Map(await Promise.all(own.map(read)));
}

/** Returns the page. Its links are relative, so that they work behind a proxy's path. */
function indexReply(
  ctx: Context,
  { files, name, headers }: { files: ConsoleFiles; name: string; headers: FlatHeaders },
): Reply {
  const depth = name.split('/').length - 1;
  if (depth > maxDepth) return notFound(headers);
  const html = files.get('index.html')?.body.toString() ?? '';
  const body = html.replaceAll('="./assets/', `="${'../'.repeat(depth) || './'}assets/`);
  return cacheableReply(ctx, {
    body,
    etag: entityTag(body),
    type: 'text/html; charset=utf-8',
    securityHeaders: headers,
  });
}

/** The name of an asset has the hash of its content: browsers keep it for a year. */
function assetReply(
  ctx: Context,
  { name, file, headers }: { name: string; file: ConsoleFile; headers: FlatHeaders },
): Reply {
  const form = compressions.find((name) => ctx.acceptsEncodings(name) === name) ?? 'body';
  return {
    status: 200,
    type: mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    body: file[form],
    cacheControl: 'public, max-age=31536000, immutable',
    headers: ['Vary', 'Accept-Encoding', ...(form === 'body' ? [] : ['Content-Encoding', form])],
    securityHeaders: headers,
  };
}

function notFound(headers: FlatHeaders): Reply {
  const body = 'This file is not part of the console. Reload the page.\n';
  return { status: 404, type: 'text/plain; charset=utf-8', body, securityHeaders: headers };
}

/** Allows the console the files and requests of this server, and previews of files that it has decrypted. */
function policy(https: boolean): FlatHeaders {
  return pageHeaders(https, [
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    'frame-src blob:',
    "worker-src 'self'",
    "connect-src 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types service-worker',
  ]);
}
