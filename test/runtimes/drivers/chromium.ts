import { launchChromium } from '../../chromium.ts';
import type { Result, World } from '../suite/suite.ts';
import { type Driver, runLimitMs } from './process.ts';

/** What the page has after its script has run. */
interface Conformance {
  runAll(world: World): Promise<Result[]>;
}

/** A driver of headless Chromium: the suite runs in a page of the companion. */
export function chromiumDriver(executablePath: string): Driver {
  return async (world) => {
    const browser = await launchChromium(executablePath);
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
