import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { violationsOf } from '../../../test/axe.ts';
import { launchChromium } from '../../../test/chromium.ts';
import { styles } from '../src/http/oauth/pages/styles.ts';
import { everyPage } from '../test/support/oauth/page-views.ts';

// The pages of OAuth in Chromium: contrast, names and structure by axe, and layout at the smallest width.

const policy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'";

let browser: Browser;
let server: Server;
let url: string;
beforeAll(async () => {
  browser = await launchChromium();
  server = createServer((request, response) => {
    const isStyles = request.url === '/oauth/pages.css';
    const [, language, name] = request.url?.split('/') ?? [];
    const type = isStyles ? 'text/css' : 'text/html; charset=utf-8';
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy });
    response.end(isStyles ? styles : everyPage(language === 'de' ? 'de' : 'en')[name ?? '']);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser.close();
  server.close();
});

const languages = ['en', 'de'] as const;
const themes = ['light', 'dark'] as const;
const widths = [320, 1024] as const;

describe.each(languages)('in %s', (language) => {
  describe.each(themes)('in the %s theme', (colorScheme) => {
    test.each(widths)('every page at %i pixels is free of violations and fits', async (width) => {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width, height: 640 },
      });
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('console', (message) => problems.push(message.text()));
      for (const name of Object.keys(everyPage(language))) {
        await page.goto(`${url}/${language}/${name}`);
        expect(await violationsOf(page), name).toEqual([]);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, name).toBe(0);
      }
      expect(problems).toEqual([]);
      await context.close();
    });
  });
});
