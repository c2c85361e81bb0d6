import type { Page } from 'playwright-core';
import { signIn, type TestConsole, unlock, type Visit } from './console.ts';

/** A state of the console that is photographed and examined by axe. */
export interface Screen {
  readonly name: string;
  /** Creates data before the page is opened. */
  readonly seed?: (console: TestConsole) => Promise<unknown>;
  /** Below the console. @default '' */
  readonly path?: string;
  /** @default true */
  readonly isSignedIn?: boolean;
  /** Signs an administrator in. @default false */
  readonly isAdministrator?: boolean;
  /** Keeps tokens and key for a reload. @default false */
  readonly staysSignedIn?: boolean;
  /** Enters the passphrase. @default false */
  readonly isUnlocked?: boolean;
  /** Beginnings of the faults that the console reports. @default none */
  readonly faults?: readonly string[];
  /** Leads from the opened page to the state. It ends when the state is on the page. */
  readonly show: (page: Page) => Promise<unknown>;
}

/** Opens a screen in one appearance. */
export async function showScreen(
  console: TestConsole,
  screen: Screen,
  look: { readonly width: number; readonly colorScheme: 'light' | 'dark' },
): Promise<Visit> {
  const visit = await console.open({ ...look, path: screen.path ?? '' });
  const account = screen.isAdministrator ? await console.createAdministrator() : undefined;
  const { isSignedIn = true, staysSignedIn: staySignedIn = false } = screen;
  if (isSignedIn) await signIn(console, visit, { account, staySignedIn });
  if (screen.isUnlocked) await unlock(visit);
  await screen.show(visit.page);
  return visit;
}
