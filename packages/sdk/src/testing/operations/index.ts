import type { Handlers } from '../handler.ts';
import { apiKeyHandlers } from './api-keys.ts';
import { authHandlers } from './auth.ts';
import { consentHandlers } from './consents.ts';
import { deliveryHandlers } from './deliveries.ts';
import { documentHandlers } from './documents.ts';
import { instanceHandlers } from './instances.ts';
import { sessionHandlers } from './sessions.ts';
import { shareHandlers } from './shares.ts';
import { userHandlers } from './users.ts';
import { vaultHandlers } from './vaults.ts';
import { webhookHandlers } from './webhooks.ts';

/** What each operation of the contract does. */
export const operationHandlers: Handlers = {
  ...authHandlers,
  ...sessionHandlers,
  ...userHandlers,
  ...apiKeyHandlers,
  ...vaultHandlers,
  ...documentHandlers,
  ...shareHandlers,
  ...instanceHandlers,
  ...consentHandlers,
  ...webhookHandlers,
  ...deliveryHandlers,
};
