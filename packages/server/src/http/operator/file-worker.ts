import { pageHeaders } from '../headers.ts';
import { builtText, type OperatorPage, pageOf } from './pages.ts';

/** The builder of the worker. The name is not a literal, so that the bundle does not contain esbuild. */
const builder = new URL('../../../file-worker/build.ts', import.meta.url).href;

/**
 * The service worker of the page of share links and of the console: each has it below its own path, which decides for
 * which pages it works.
 */
export function fileWorkerPage(https: boolean): OperatorPage {
  const headers = pageHeaders(https, []);
  return pageOf(async () => ({
    type: 'text/javascript; charset=utf-8',
    body: await builtText('file-worker.js', build),
    securityHeaders: headers,
  }));
}

async function build(): Promise<string> {
  const { buildFileWorker }: { buildFileWorker(): Promise<string> } = await import(builder);
  return buildFileWorker();
}
