/**
 * Makes a picture of every screen in both themes and widths: `npm run console:screens -- vaults` makes those whose
 * names begin so. `--german` shows them in German.
 */
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { screens } from './browser/screens/index.ts';
import { startConsole } from './browser/support/console.ts';
import { showScreen } from './browser/support/screens.ts';

const { values, positionals } = parseArgs({
  options: { german: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const folder = fileURLToPath(new URL('./pictures/', import.meta.url));
const testConsole = await startConsole();
const chosen = screens.filter(
  ({ name }) =>
    positionals.length === 0 || positionals.some((beginning) => name.startsWith(beginning)),
);
if (positionals.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const screen of chosen) {
  for (const width of [320, 1280]) {
    await testConsole.server.reset();
    await screen.seed?.(testConsole);
    const look = { width, colorScheme: 'light' } as const;
    const { page, context } = await showScreen(testConsole, screen, look);
    if (values.german) await chooseGerman(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const path = `${folder}${screen.name}-${width}-${colorScheme}.png`;
      await page.screenshot({ path, fullPage: true });
    }
    await context.close();
  }
  console.log(screen.name);
}
await testConsole.close();

/** The steps to each state use the English texts, so the language changes after them. */
function chooseGerman(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const menu = document.querySelector<HTMLElement>('[role=menu][aria-label=Language]');
    // A dialog can be open: the button of the menu takes no click then.
    menu?.showPopover();
    await new Promise(requestAnimationFrame);
    const items = [...(menu?.querySelectorAll<HTMLElement>('.menu-item') ?? [])];
    const german = items.find(({ textContent }) => textContent === 'Deutsch');
    if (!german) throw new Error('The page has no menu of languages');
    german.click();
  });
}
