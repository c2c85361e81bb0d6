import { launchChromium } from '../../chromium.ts';
import type { Environment, Result } from '../suite/suite.ts';
import { type Driver, runLimitMs } from './process.ts';

/** The global `conformance` that the script of the page defines. */
interface Conformance {
  runAll(environment: Environment): Promise<Result[]>;
}

/** Creates a driver that runs the suite in headless Chromium, in a page of the stub server. */
export function chromiumDriver(executablePath: string): Driver {
  return async (environment) => {
    const browser = await launchChromium(executablePath);
    const timer = setTimeout(() => browser.close(), runLimitMs);
    try {
      const page = await browser.newPage();
      await page.goto(`${environment.stub}/page/index.html`);
      await page.waitForFunction(() => 'conformance' in globalThis);
      return await page.evaluate(
        (given) =>
          (globalThis as unknown as { conformance: Conformance }).conformance.runAll(given),
        { ...environment, runtime: 'chromium' as const },
      );
    } finally {
      clearTimeout(timer);
      await browser.close();
    }
  };
}
