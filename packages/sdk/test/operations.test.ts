import { readFile } from 'node:fs/promises';
import {
  AbortError,
  type CallOptions,
  DocumentVault,
  type EncryptedStream,
  UsageError,
} from '@document-vault/sdk';
import { createOAuthClients, type OAuthClients } from '@document-vault/sdk/oauth-clients';
import { describe, expect, test } from 'vitest';
import type { operations } from '../src/generated/openapi.ts';
import { apiKey, baseUrl } from './support/client.ts';
import { type Equal, expectNever } from './support/equal-types.ts';
import { scriptedFetch } from './support/fetch.ts';
import { emptyPage, json } from './support/responses.ts';
import { storeOf } from './support/session.ts';

/** The method of the client for every operation of the contract. */
const methods = {
  register: 'auth.register',
  login: 'auth.login',
  refresh: 'auth.refresh',
  logout: 'auth.logout',
  validateApiKey: 'apiKeys.current',
  listSessions: 'auth.sessions.list',
  endSession: 'auth.sessions.delete',
  endOtherSessions: 'auth.sessions.deleteOthers',
  getJwks: 'auth.jwks',
  listApiKeys: 'apiKeys.list',
  createApiKey: 'apiKeys.create',
  revokeApiKey: 'apiKeys.delete',
  listOAuthClients: 'oauthClients.list',
  createOAuthClient: 'oauthClients.create',
  getOAuthClient: 'oauthClients.get',
  updateOAuthClient: 'oauthClients.update',
  deleteOAuthClient: 'oauthClients.delete',
  rotateOAuthClientSecret: 'oauthClients.rotateSecret',
  listVaults: 'vaults.list',
  createVault: 'vaults.create',
  searchVaults: 'vaults.search',
  getVault: 'vaults.get',
  updateVault: 'vaults.update',
  deleteVault: 'vaults.delete',
  listVaultKeys: 'vaults.keys.list',
  updateVaultKeys: 'vaults.keys.update',
  listDocuments: 'documents.list',
  createDocument: 'documents.create',
  getDocument: 'documents.get',
  updateDocument: 'documents.update',
  deleteDocument: 'documents.delete',
  getDocumentContent: 'documents.content',
  createUpload: 'uploads.create',
  getUpload: 'uploads.get',
  uploadPart: 'uploads.putPart',
  deleteUpload: 'uploads.delete',
  shareDocument: 'shares.create',
  listDocumentShares: 'shares.list',
  revokeDocumentShare: 'shares.delete',
  listShareAccesses: 'shares.accesses',
  openShare: 'shares.open',
  getSharedContent: 'shares.content',
  listInstances: 'instances.list',
  createInstance: 'instances.create',
  getInstanceStatistics: 'instances.statistics',
  getInstanceHistory: 'instances.history',
  getInstance: 'instances.get',
  updateInstance: 'instances.update',
  getInstanceHealth: 'instances.health',
  getCurrentUser: 'users.me',
  updateCurrentUser: 'users.updateMe',
  deleteCurrentUser: 'users.delete',
  getKeyring: 'keyring.get',
  updateKeyring: 'keyring.update',
  listUsers: 'users.list',
  getUser: 'users.get',
  administerUser: 'users.update',
  listConsents: 'consents.list',
  createConsent: 'consents.create',
  updateConsent: 'consents.update',
  listWebhooks: 'webhooks.list',
  createWebhook: 'webhooks.create',
  getWebhook: 'webhooks.get',
  updateWebhook: 'webhooks.update',
  rotateWebhookSecret: 'webhooks.rotateSecret',
  deleteWebhook: 'webhooks.delete',
  testWebhook: 'webhooks.test',
  listDeliveries: 'webhooks.deliveries.list',
  retryFailedDeliveries: 'webhooks.deliveries.retryFailed',
  getDelivery: 'webhooks.deliveries.get',
  retryDelivery: 'webhooks.deliveries.retry',
  listEvents: 'events.list',
  getEvent: 'events.get',
  getOpenApiDocument: 'openapi',
} as const;

type Methods = typeof methods;

/** A client with the resources of other entries. */
type Surface = DocumentVault & { oauthClients: OAuthClients };

function surfaceOf(client: DocumentVault): Surface {
  return Object.assign(client, { oauthClients: createOAuthClients(client) });
}

/** The type of the method that a dotted path leads to. */
type MethodAt<Path, Owner = Surface> = Path extends `${infer Head}.${infer Rest}`
  ? MethodAt<Rest, Owner[Head & keyof Owner]>
  : Owner[Path & keyof Owner];

/** What a promise of no value resolves with. */
type Nothing = Awaited<Promise<void>>;

/** The result of an operation by the contract; `Nothing` for responses without a body. */
type ResponseBody<O extends keyof operations> = operations[O]['responses'] extends {
  200: { content: { 'application/octet-stream': string } };
}
  ? EncryptedStream
  : operations[O]['responses'] extends { 200: { content: { 'application/json': infer T } } }
    ? T
    : operations[O]['responses'] extends { 201: { content: { 'application/json': infer T } } }
      ? T
      : Nothing;

/** The operations whose method resolves with something else than the contract says. */
type Different<M> = {
  [O in keyof M & keyof operations]: MethodAt<M[O]> extends (
    ...input: never
  ) => PromiseLike<infer T>
    ? Equal<T, ResponseBody<O>> extends true
      ? never
      : O
    : O;
}[keyof M & keyof operations];

type Last<T extends readonly unknown[]> = T extends readonly [...unknown[], infer L] ? L : never;

/** The operations whose method does not take the options of a call as its last argument. */
type WithoutOptions<M> = {
  [O in keyof M]: MethodAt<M[O]> extends (...input: infer P) => unknown
    ? CallOptions extends Last<Required<P>>
      ? never
      : O
    : O;
}[keyof M];

// Every operation has a method, and every entry an operation.
expectNever<Exclude<keyof operations, keyof Methods>>();
expectNever<Exclude<keyof Methods, keyof operations>>();
// A page of events also has a cursor. `events.after` returns it.
expectNever<Different<Omit<Methods, 'listEvents'>>>();
expectNever<Different<{ listEvents: 'events.after' }>>();
expectNever<WithoutOptions<Methods>>();

// The comparisons fail for these differences.
// @ts-expect-error an operation is missing
expectNever<Exclude<keyof operations, keyof Omit<Methods, 'getVault'>>>();
// @ts-expect-error the contract has no such operation
expectNever<Exclude<keyof (Methods & { openVault: 'vaults.get' }), keyof operations>>();
// @ts-expect-error the method returns a vault, the operation a document
expectNever<Different<{ getDocument: 'vaults.get' }>>();
// @ts-expect-error the method returns a list, the operation one vault
expectNever<Different<{ getVault: 'vaults.list' }>>();
// @ts-expect-error there is no such method
expectNever<Different<{ getVault: 'vaults.fetch' }>>();
// @ts-expect-error the method takes no options
expectNever<WithoutOptions<{ getVault: 'toString' }>>();

interface Operation {
  operationId: keyof Methods;
  parameters?: Parameter[];
  requestBody?: object;
}

const contract = JSON.parse(
  await readFile(new URL('../../../openapi/v1.json', import.meta.url), 'utf8'),
);

/** Every operation of the contract, with the parameters that its path brings. */
const contractOperations = Object.entries<Record<string, Operation>>(contract.paths).flatMap(
  ([path, { parameters = [], ...byMethod }]) =>
    Object.entries(byMethod).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
      parameters: [...(parameters as unknown as []), ...(operation.parameters ?? [])].map(resolve),
    })),
);

interface Parameter {
  in: string;
  name?: string;
  $ref?: string;
}

const nameOf = ({ name = '' }: Parameter) => name;

function resolve(parameter: Parameter): Parameter {
  if (!parameter.$ref) return parameter;
  return contract.components.parameters[parameter.$ref.replace(/^.*\//, '')];
}

/** Returns the method of the client for an operation. */
function methodOf(client: DocumentVault, operationId: keyof Methods) {
  const names = methods[operationId].split('.');
  const name = names.pop() ?? '';
  let owner = surfaceOf(client) as unknown as Record<string, unknown>;
  for (const inner of names) owner = owner[inner] as Record<string, unknown>;
  const method = owner[name] as (...input: unknown[]) => PromiseLike<unknown>;
  return method.bind(owner);
}

/** Operations whose body the client fills in from its session. */
const ofSession: readonly string[] = ['refresh', 'logout'];

/** Operations whose query is an option of the call. */
const ofOptions: readonly string[] = ['getDocument', 'openShare'];

const inQuery = (parameter: Parameter) => parameter.in === 'query';

describe('operations: the method of each', () => {
  const aborted = AbortSignal.abort();

  test.each(contractOperations)(
    '$operationId is a call of $method $path that takes options last',
    async ({ operationId, method, path, parameters, requestBody }) => {
      const { fetch, sent } = scriptedFetch(() => new Response('{}'));
      const isKeyless = path.startsWith('/auth/');
      const credentials = isKeyless ? { session: { store: storeOf('a', 'r') } } : { apiKey };
      const client = new DocumentVault({ baseUrl, fetch, ...credentials });
      const ids = parameters.filter((parameter) => parameter.in === 'path').map(() => '1');
      const hasQuery = !ofOptions.includes(operationId) && parameters.some(inQuery);
      const hasBody = requestBody !== undefined && !ofSession.includes(operationId);
      const input = hasQuery || hasBody ? [...ids, {}] : ids;

      const problem = await methodOf(client, operationId)(...input, { signal: aborted }).then(
        null,
        (error) => error,
      );
      expect(problem).toBeInstanceOf(AbortError);
      expect(problem).toMatchObject({ method, path, cause: aborted.reason });
      expect(sent).toEqual([]);
    },
  );
});

describe('operations: the query of each list', () => {
  // A search takes its text as an argument, and no query.
  const lists = contractOperations.filter(
    ({ operationId, parameters }) =>
      operationId !== 'searchVaults' &&
      !ofOptions.includes(operationId) &&
      parameters.some(inQuery),
  );

  test.each(lists)(
    '$operationId takes the query parameters of the contract, and no other',
    async ({ operationId, parameters }) => {
      const { fetch, sent } = scriptedFetch(() => json(emptyPage));
      const method = methodOf(new DocumentVault({ baseUrl, apiKey, fetch }), operationId);
      const ids = parameters.filter((parameter) => parameter.in === 'path').map(() => '1');
      const names = parameters.filter(inQuery).map(nameOf);
      for (const name of names) {
        await method(...ids, { [name]: 'tax' });
        expect(new URL(sent.at(-1)?.url ?? '').searchParams.get(name)).toBe('tax');
      }
      const refused = await method(...ids, { nope: 1 }).then(null, (error) => error);
      expect(refused).toBeInstanceOf(UsageError);
      expect(sent).toHaveLength(names.length);
    },
  );
});
