import type { Handlers } from '../handler.ts';
import { apiKeyHandlers } from './api-keys.ts';
import { authHandlers, sessionHandlers } from './auth.ts';
import { consentHandlers } from './consents.ts';
import { documentHandlers } from './documents.ts';
import { eventHandlers } from './events.ts';
import { instanceHandlers } from './instances.ts';
import { keyHandlers } from './keys.ts';
import { oauthClientHandlers } from './oauth-clients.ts';
import { shareHandlers } from './shares.ts';
import { uploadHandlers } from './uploads.ts';
import { userHandlers } from './users.ts';
import { vaultHandlers } from './vaults.ts';
import { deliveryHandlers, webhookHandlers } from './webhooks.ts';

/** The handlers of all operations. */
export const operationHandlers: Handlers = {
  ...authHandlers,
  ...sessionHandlers,
  ...userHandlers,
  ...apiKeyHandlers,
  ...oauthClientHandlers,
  ...vaultHandlers,
  ...keyHandlers,
  ...documentHandlers,
  ...uploadHandlers,
  ...shareHandlers,
  ...instanceHandlers,
  ...consentHandlers,
  ...webhookHandlers,
  ...deliveryHandlers,
  ...eventHandlers,
};
