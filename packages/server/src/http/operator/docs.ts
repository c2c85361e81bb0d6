import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { hasVersion } from '../entity-tags.ts';
import { headersOf } from '../middleware/security-headers.ts';
import type { Context } from '../state.ts';
import type { Page } from './page.ts';

/** In the sources beside this file, in the bundle beside the chunk that holds it. */
const folder = new URL('./docs/', import.meta.url);

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly file: string;
}

/** Ours; the links in the page are relative to `/docs`, so that it also works behind a path of a proxy. */
const ownAssets: readonly Asset[] = [
  { path: '/docs', type: 'text/html; charset=utf-8', file: 'index.html' },
  { path: '/docs/initializer.js', type: 'text/javascript; charset=utf-8', file: 'initializer.js' },
  { path: '/docs/favicon.svg', type: 'image/svg+xml', file: 'favicon.svg' },
];

/** Swagger UI's: the build puts them beside ours, the sources find them in its package. */
const libraryAssets: readonly Asset[] = [
  {
    path: '/docs/swagger-ui-bundle.js',
    type: 'text/javascript; charset=utf-8',
    file: 'swagger-ui-bundle.js',
  },
  { path: '/docs/swagger-ui.css', type: 'text/css; charset=utf-8', file: 'swagger-ui.css' },
];

/** An API reference in which keys can be tried, made of files of this package alone. */
export function docsPages(https: boolean): [path: string, page: Page][] {
  const headers = headersOf({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    xXssProtection: false,
    strictTransportSecurity: https,
  });
  const pages = [...ownAssets, ...libraryAssets].map((asset): [string, Page] => [
    asset.path,
    assetPage(asset, headers),
  ]);
  return [...pages, ['/docs/', redirectToDocs]];
}

const redirectToDocs: Page = async (ctx) => {
  ctx.status = 308;
  ctx.set('Location', '../docs');
  return true;
};

interface Content {
  readonly bytes: Buffer;
  readonly etag: string;
}

function assetPage({ type, file }: Asset, headers: ReturnType<typeof headersOf>): Page {
  let content: Promise<Content> | undefined;
  return async (ctx: Context) => {
    content ??= load(file);
    const { bytes, etag } = await content;
    for (const [name, value] of headers) ctx.set(name, value);
    ctx.set('Cache-Control', 'no-cache');
    ctx.set('ETag', etag);
    if (hasVersion(ctx, etag)) {
      ctx.status = 304;
    } else {
      ctx.set('Content-Type', type);
      ctx.body = bytes;
    }
    return true;
  };
}

async function load(file: string): Promise<Content> {
  const bytes = await readFile(locate(file));
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return { bytes, etag: `"${digest}"` };
}

function locate(file: string): URL {
  const inLibrary = libraryAssets.some((asset) => asset.file === file);
  const inSources = import.meta.url.endsWith('.ts');
  if (!inLibrary || !inSources) return new URL(file, folder);
  const { resolve } = createRequire(import.meta.url);
  return pathToFileURL(resolve(`swagger-ui-dist/${file}`));
}
