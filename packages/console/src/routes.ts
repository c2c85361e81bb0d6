import { lazy } from 'preact-iso';
import type { IconName } from './components/icon-names.ts';
import type { shellTexts } from './shell/messages.ts';

type TextName = {
  [K in keyof typeof shellTexts.value]: (typeof shellTexts.value)[K] extends string ? K : never;
}[keyof typeof shellTexts.value];

/** A screen in the navigation. */
interface Entry {
  readonly icon: IconName;
  /** Its name in the texts of the shell. */
  readonly label: TextName;
  /** The key after `g` that goes there. */
  readonly key: string;
}

export interface Route {
  /** The address below the console, with parameters as preact-iso writes them: `vaults/:vaultId`. */
  readonly path: string;
  /** Loaded when it is shown for the first time. */
  readonly screen: ReturnType<typeof lazy>;
  /** Absent for a screen that another one leads to. */
  readonly entry?: Entry;
}

/** Every screen. The navigation has those with an `entry`, in this order. */
export const routes: readonly Route[] = [
  {
    path: 'vaults',
    screen: lazy(() => import('./screens/vaults/screen.tsx')),
    entry: { icon: 'vault', label: 'vaults', key: 'v' },
  },
];

/** The screen that the console begins with. */
export const firstPath = 'vaults';
