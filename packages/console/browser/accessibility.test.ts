import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { violationsOf } from '../../../test/axe.ts';
import { screens } from './screens/index.ts';
import { startConsole, type TestConsole } from './support/console.ts';
import { showScreen } from './support/screens.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await startConsole();
});
afterAll(() => testConsole.close());

describe.each(screens)('screen $name', (screen) => {
  test.each([320, 1280])('has no axe finding and no overflow at %i px', async (width) => {
    await testConsole.server.reset();
    await screen.seed?.(testConsole);
    const look = { width, colorScheme: 'light' } as const;
    const { page, context, problems } = await showScreen(testConsole, screen, look);
    expect(await violationsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violationsOf(page)).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    expect(await smallTargets(page)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });
});

/** Returns the visible controls that are smaller than 24 px; links within text are exempt (WCAG 2.5.8). */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'button, select, .nav-link, td a, input:not([type=checkbox], [type=radio])',
      ),
    ]
      .filter((control) => control.checkVisibility())
      .filter((control) => {
        const { width, height } = control.getBoundingClientRect();
        const isHidden = width <= 1 || height <= 1;
        return !isHidden && (width < 23.9 || height < 23.9);
      })
      .map((control) => control.outerHTML.slice(0, 120)),
  );
}
