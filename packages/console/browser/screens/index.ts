import type { Screen } from '../support/screens.ts';
import { accountScreens } from './account.ts';
import { contentScreens } from './content.ts';
import { documentScreens } from './documents.ts';
import { keyringScreens } from './keyring.ts';
import { operationScreens } from './operation.ts';
import { sessionScreens } from './session.ts';
import { stateScreens } from './states.ts';
import { vaultScreens } from './vaults.ts';
import { webhookScreens } from './webhooks.ts';

/** Every screen: the tests examine them, and `npm run console:screens` makes pictures of them. */
export const screens: readonly Screen[] = [
  ...sessionScreens,
  ...stateScreens,
  ...vaultScreens,
  ...documentScreens,
  ...contentScreens,
  ...keyringScreens,
  ...webhookScreens,
  ...accountScreens,
  ...operationScreens,
];
