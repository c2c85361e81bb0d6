/**
 * Makes a picture of every page of OAuth in both languages, themes and widths: `npm run oauth:screens -- consent` makes
 * those whose names begin so.
 */
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '../../test/chromium.ts';
import { startPageServer } from './browser/support/oauth-page-server.ts';
import { everyPage } from './test/support/oauth/page-views.ts';

const beginnings = process.argv.slice(2);
const folder = fileURLToPath(new URL('./pictures/', import.meta.url));
const server = await startPageServer();
const browser = await launchChromium();
const names = Object.keys(everyPage('en')).filter(
  (name) => beginnings.length === 0 || beginnings.some((beginning) => name.startsWith(beginning)),
);
if (beginnings.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [320, 1280]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 720 } });
    const page = await context.newPage();
    for (const language of ['en', 'de']) {
      for (const name of names) {
        await page.goto(`${server.url}/${language}/${name}`);
        const path = `${folder}${name}-${language}-${width}-${colorScheme}.png`;
        await page.screenshot({ path, fullPage: true });
      }
    }
    await context.close();
  }
}
await browser.close();
server.close();
