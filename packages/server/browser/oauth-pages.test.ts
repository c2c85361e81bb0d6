import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { violationsOfThemes } from '../../../test/axe.ts';
import { launchChromium } from '../../../test/chromium.ts';
import { everyPage } from '../test/support/oauth/page-views.ts';
import { type PageServer, startPageServer } from './support/oauth-page-server.ts';

// The pages of OAuth in Chromium: contrast, names and structure by axe, and layout at the smallest width.

let browser: Browser;
let server: PageServer;
beforeAll(async () => {
  browser = await launchChromium();
  server = await startPageServer();
});
afterAll(async () => {
  await browser.close();
  server.close();
});

const languages = ['en', 'de'] as const;
const widths = [320, 1280] as const;

describe.each(languages)('in %s', (language) => {
  test.each(widths)(
    'every page at %i pixels is free of violations in both themes, and fits',
    async (width) => {
      const context = await browser.newContext({ viewport: { width, height: 640 } });
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('console', (message) => problems.push(message.text()));
      for (const name of Object.keys(everyPage(language))) {
        await page.goto(`${server.url}/${language}/${name}`);
        expect(await violationsOfThemes(page), name).toEqual({ light: [], dark: [] });
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, name).toBe(0);
      }
      expect(problems).toEqual([]);
      await context.close();
    },
  );
});
