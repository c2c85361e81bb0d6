import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';

/** A web site of an app: one page with one script. */
export interface AppSite {
  /** With a slash at its end: where users come back to. */
  readonly url: string;
  readonly origin: string;
  close(): void;
}

/** Bundles a script and serves it on a page, at an origin of its own. */
export async function startAppSite(entryPoint: URL): Promise<AppSite> {
  const bundle = await build({
    entryPoints: [entryPoint.pathname],
    bundle: true,
    format: 'iife',
    write: false,
  });
  const script = bundle.outputFiles[0]?.text ?? '';
  const site = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript ? script : '<!doctype html><title>App</title><script src="/page.js"></script>',
    );
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  return { url: `${origin}/`, origin, close: () => void site.close() };
}
