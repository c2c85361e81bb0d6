import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const colourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** Returns the violations that axe finds in the visible page. */
export function violationsOf(page: Page): Promise<string[]> {
  return runAxe(page, {});
}

/**
 * Returns the violations of the visible page in each theme. A theme has colours and nothing else, so the dark one is
 * examined by the rules about colours alone.
 */
export async function violationsOfThemes(
  page: Page,
): Promise<Record<'light' | 'dark', readonly string[]>> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await violationsOf(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  return { light, dark: await runAxe(page, { runOnly: colourRules }) };
}

async function runAxe(page: Page, rules: object): Promise<string[]> {
  // Not as a script of the page, whose policy would refuse it.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: `window.axe || (() => {${axe}})()` });
  const options = JSON.stringify({ ...rules, resultTypes: ['violations'], selectors: false });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) =>
      id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return result.value;
}
