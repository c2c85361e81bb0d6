import { type ApiError, DocumentVault, type DocumentVaultOptions } from '@document-vault/sdk';
import { startTestServer, type TestServer } from '@document-vault/server/testing';
import { createTestVault, type TestVault } from '@document-vault/testing';
import { setupServer } from 'msw/node';
import { rejection } from '../../../sdk/test/support/client.ts';

/** What both have: `await` accepts values and promises. */
export type Service = TestVault | TestServer;

/** Uses a service and returns what is compared. */
export type Scenario = (service: Service) => Promise<unknown>;

/** Runs a scenario with the test kit. */
export async function withKit(scenario: Scenario): Promise<unknown> {
  const service = createTestVault({ baseUrl: 'https://vault.example' });
  const server = setupServer(...service.handlers);
  server.listen({ onUnhandledFrame: 'error' });
  try {
    return await scenario(service);
  } finally {
    server.close();
  }
}

/** Runs a scenario with the test server. */
export async function withServer(scenario: Scenario): Promise<unknown> {
  const service = await startTestServer();
  try {
    return await scenario(service);
  } finally {
    await service.close();
  }
}

/** A client without retries, unless the options have some. */
export function clientOf({ baseUrl, clock }: Service, options: Partial<DocumentVaultOptions> = {}) {
  const session = options.apiKey ? undefined : {};
  return new DocumentVault({ baseUrl, clock, maxRetries: 0, session, ...options });
}

/** A client with the API key of the first account. */
export const keyClient = (service: Service, options: Partial<DocumentVaultOptions> = {}) =>
  clientOf(service, { apiKey: service.account.apiKey, ...options });

/** What an app sees of an error. */
export async function failure(call: Promise<unknown>) {
  const { name, code, status, details, attempts } = (await rejection(call)) as ApiError;
  return { name, code, status, details, attempts };
}
