import { readFile } from 'node:fs/promises';
import { browserBundle } from '../browser-bundle.ts';

const folder = new URL('./', import.meta.url);

/** Returns the page as one file of HTML, with its script and its style inside. */
export async function buildSharePage(): Promise<string> {
  const [html, style, script] = await Promise.all([
    readFile(new URL('index.html', folder), 'utf8'),
    browserBundle(new URL('style.css', folder)),
    browserBundle(new URL('page.ts', folder)),
  ]);
  return html
    .replace(/^ +/gm, '')
    .replace('<!-- style -->', () => `<style>${style}</style>`)
    .replace('<!-- script -->', () => `<script type="module">${script}</script>`);
}
