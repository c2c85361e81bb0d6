import type { Screen } from '../support/screens.ts';
import { sessionScreens } from './session.ts';
import { vaultScreens } from './vaults.ts';

/** Every screen: the tests examine them, and `npm run console:screens` makes pictures of them. */
export const screens: readonly Screen[] = [...sessionScreens, ...vaultScreens];
