import type { Case } from '../suite.ts';
import { abortCases } from './abort.ts';
import { cipherCases } from './cipher.ts';
import { credentialCases } from './credentials.ts';
import { documentCases } from './documents.ts';
import { errorCases } from './errors.ts';
import { graphqlCases } from './graphql.ts';
import { keyringCases } from './keyring.ts';
import { largeDocumentCases } from './large-documents.ts';
import { oauthCases } from './oauth.ts';
import { rateLimitCases } from './rate-limit.ts';
import { resourceCases } from './resources.ts';
import { retryCases } from './retries.ts';
import { secretCases } from './secrets.ts';
import { sessionCases } from './session.ts';
import { webhookCases } from './webhooks.ts';

/** Every case, in the order in which they run. */
export const cases: readonly Case[] = [
  ...credentialCases,
  ...sessionCases,
  ...oauthCases,
  ...retryCases,
  ...rateLimitCases,
  ...abortCases,
  ...errorCases,
  ...resourceCases,
  ...documentCases,
  ...keyringCases,
  ...largeDocumentCases,
  ...cipherCases,
  ...graphqlCases,
  ...secretCases,
  ...webhookCases,
];
