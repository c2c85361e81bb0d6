import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violationsOfThemes } from '../../../test/axe.ts';
import { screens } from './screens/index.ts';
import { startConsole, type TestConsole } from './support/console.ts';
import { showScreen } from './support/screens.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await startConsole();
});
afterAll(() => testConsole.close());

test.each(screens)(
  '$name has no axe finding and no overflow at 320 and 1280 px',
  async (screen) => {
    await testConsole.server.reset();
    await screen.seed?.(testConsole);
    const look = { width: 320, colorScheme: 'light' } as const;
    const { page, context, problems } = await showScreen(testConsole, screen, look);
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await violationsOfThemes(page), `${width} px`).toEqual({ light: [], dark: [] });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, `${width} px`).toBe(0);
      expect(await smallTargets(page), `${width} px`).toEqual([]);
    }
    const faults = (screen.faults ?? []).map((start) => expect.stringMatching(`^${start}`));
    expect(problems).toEqual(faults);
    await context.close();
  },
);

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
