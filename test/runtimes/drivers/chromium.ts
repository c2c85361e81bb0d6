import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Result, World } from '../suite/suite.ts';
import { type Driver, runLimitMs } from './process.ts';

/** Quiet, and without a sandbox, which the root of a container cannot have. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium that is installed: CHROMIUM_PATH, or the first on the PATH. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const files = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return CHROMIUM_PATH ?? files.find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What the page has after its script has run. */
interface Conformance {
  runAll(world: World): Promise<Result[]>;
}

/** A driver of headless Chromium: the suite runs in a page of the companion. */
export function chromiumDriver(executablePath: string): Driver {
  return async (world) => {
    const browser = await chromium.launch({ executablePath, args, headless: true });
    const timer = setTimeout(() => browser.close(), runLimitMs);
    try {
      const page = await browser.newPage();
      await page.goto(`${world.companion}/page/index.html`);
      await page.waitForFunction(() => 'conformance' in globalThis);
      return await page.evaluate(
        (given) =>
          (globalThis as unknown as { conformance: Conformance }).conformance.runAll(given),
        { ...world, runtime: 'chromium' as const },
      );
    } finally {
      clearTimeout(timer);
      await browser.close();
    }
  };
}
