import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = new URL('./', import.meta.url);

/** Returns the page as one file of HTML, with its script and its style inside. */
export async function buildSharePage(): Promise<string> {
  const [html, style, script] = await Promise.all([
    readFile(new URL('index.html', folder), 'utf8'),
    bundle('style.css'),
    bundle('page.ts'),
  ]);
  return html
    .replace(/^ +/gm, '')
    .replace('<!-- style -->', () => `<style>${style}</style>`)
    .replace('<!-- script -->', () => `<script type="module">${script}</script>`);
}

/** Returns the script of the service worker, which the console has too. */
export function buildFileWorker(): Promise<string> {
  return bundle('../file-worker/service-worker.ts');
}

async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, folder))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    // The first with `light-dark()` in styles: the page needs nothing newer.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    conditions: ['@document-vault/source'],
  });
  return outputFiles[0]?.text.trim() ?? '';
}
