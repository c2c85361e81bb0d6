import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { styles } from '../../src/oauth/pages/styles.ts';
import { everyPage } from '../../test/support/oauth/page-views.ts';

export interface PageServer {
  readonly url: string;
  close(): void;
}

const policy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'";

/** Serves each page of OAuth at `/LANGUAGE/NAME`, under the content security policy of the server. */
export async function startPageServer(): Promise<PageServer> {
  const server = createServer((request, response) => {
    const isStyles = request.url === '/oauth/pages.css';
    const [, language, name] = request.url?.split('/') ?? [];
    const type = isStyles ? 'text/css' : 'text/html; charset=utf-8';
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy });
    response.end(isStyles ? styles : everyPage(language === 'de' ? 'de' : 'en')[name ?? '']);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
