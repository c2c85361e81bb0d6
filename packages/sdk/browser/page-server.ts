import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
};

/** A page on a free port. */
export interface PageServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Options of {@link servePage}. */
export interface PageOptions {
  /** The Content-Security-Policy. @default "default-src 'self'" */
  readonly policy?: string;
  /** Further files by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Builds a page as a bundler makes it of the sources, and serves it.
 *
 * @param folder - of the page
 */
export async function servePage(
  folder: URL,
  { policy = "default-src 'self'", files = {} }: PageOptions = {},
): Promise<PageServer> {
  const outDir = await mkdtemp(join(tmpdir(), 'sdk-browser-'));
  await build({
    root: fileURLToPath(folder),
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@document-vault/source', 'module', 'browser'] },
    build: { outDir, target: 'es2022', emptyOutDir: true },
  });
  const server = createServer(async ({ url = '/' }, response) => {
    const file = files[url] ?? join(outDir, url === '/' ? 'index.html' : url);
    const text = await readFile(file).catch(() => undefined);
    response.writeHead(text ? 200 : 404, {
      'content-type': contentTypes[extname(file)] ?? 'text/plain',
      'content-security-policy': policy,
    });
    response.end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.close();
      await rm(outDir, { recursive: true });
    },
  };
}
