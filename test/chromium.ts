import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Chromium reads the last list only, so this one repeats what Playwright disables on Linux. */
const disabledFeatures = [
  // Suggestions of the address bar: each new page would load them as two pages of their own.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Without background requests, and without the sandbox, which fails for root in a container. */
export const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${disabledFeatures.join(',')}`,
];

/** Returns the path of Chromium: `CHROMIUM_PATH`, or the first on the `PATH`. */
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

/** Starts the installed Chromium without a window and without background requests. */
export function launchChromium(executablePath = findChromium()): Promise<Browser> {
  if (!executablePath) throw new Error('Chromium is not installed: apt-get install chromium');
  return chromium.launch({ executablePath, args: chromiumArgs, headless: true });
}
