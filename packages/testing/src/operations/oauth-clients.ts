import type { OAuthClient } from '@document-vault/sdk';
import type { Actor } from '../actor.ts';
import type { Shape } from '../contract.ts';
import { diffOf } from '../generated/rules/changes.ts';
import {
  defaultAuthMethod,
  hasSecret,
  refuseRegistration,
  refuseRotation,
  requireClientOwner,
} from '../generated/rules/oauth-clients.ts';
import { endedSecret } from '../generated/rules/replays.ts';
import { requireAdministrator, requireGrantable } from '../generated/rules/scopes.ts';
import type { Handlers } from '../handler.ts';
import { resource } from '../resource.ts';
import {
  isPast,
  type OAuthClientRecord,
  randomSecret,
  type State,
  timestamp,
  type UserRecord,
} from '../state.ts';
import { refuseExcess } from './limits.ts';

/** How long a secret is valid after its rotation, in milliseconds. */
const overlap = 24 * 60 * 60 * 1_000;

const clients = resource({
  name: 'OAuth client',
  idName: 'clientId',
  table: (tables) => tables.clients,
  present: (client, { state }) => presentClient(state, client),
});

export const oauthClientHandlers = {
  listOAuthClients: clients.list,

  createOAuthClient({ state, actor, body }) {
    requireGrantable(actor, body.scopes);
    const { tokenEndpointAuthMethod = defaultAuthMethod(body.type) } = body;
    const now = timestamp(state.now());
    const client: OAuthClientRecord = {
      clientId: state.ids.resource(),
      ...body,
      userId: actor.user.id,
      verified: false,
      tokenEndpointAuthMethod,
      jwks: body.jwks ?? null,
      disabled: false,
      secret: hasSecret(tokenEndpointAuthMethod) ? randomSecret('service_cs_') : null,
      previousSecret: null,
      previousSecretExpiresAt: null,
      createdAt: now,
      updatedAt: now,
    };
    refuseRegistration(client);
    refuseExcess(state, actor.user.id, 'clients');
    state.tables.clients.set(client.clientId, client);
    return { ...presentClient(state, client), clientSecret: client.secret };
  },

  getOAuthClient: (call) => clients.get(call, call.path.clientId),

  updateOAuthClient({ state, actor, path, body }) {
    if (body.verified !== undefined) requireAdministrator(actor.user);
    if (body.scopes) requireGrantable(actor, body.scopes);
    const before = clients.find(state, actor, path.clientId);
    requireClientOwner(before, actor.user.id, Object.keys(body));
    const changed = { ...before, ...body };
    const after = { ...changed, verified: remainsVerified(actor, before, changed) };
    refuseRegistration(after);
    const fields = ['verified', ...Object.keys(body)] as (keyof typeof body)[];
    if (!diffOf(before, after, fields)) return presentClient(state, before);
    return save(state, after);
  },

  deleteOAuthClient({ state, actor, path }) {
    state.tables.clients.delete(clients.find(state, actor, path.clientId).clientId);
  },

  rotateOAuthClientSecret({ state, actor, path }) {
    const client = clients.find(state, actor, path.clientId);
    requireClientOwner(client, actor.user.id, ['clientSecret']);
    refuseRotation(client.tokenEndpointAuthMethod);
    const clientSecret = randomSecret('service_cs_');
    const previousSecretExpiresAt =
      client.secret === null ? null : timestamp(state.now() + overlap);
    save(state, {
      ...client,
      secret: clientSecret,
      previousSecret: client.secret,
      previousSecretExpiresAt,
    });
    return { clientId: client.clientId, clientSecret, previousSecretExpiresAt };
  },
} satisfies Partial<Handlers>;

/** Ends the secrets of an account's clients, and disables its clients with keys. */
export function endClientCredentials(state: State, { id }: UserRecord): void {
  for (const client of state.tables.clients.values()) {
    if (client.userId !== id || client.type === 'public') continue;
    save(state, {
      ...client,
      secret: null,
      previousSecret: null,
      previousSecretExpiresAt: null,
      disabled: client.disabled || client.tokenEndpointAuthMethod === 'private_key_jwt',
    });
  }
}

/**
 * Checks a secret before its creation is replayed.
 *
 * @throws ServiceError VALIDATION_ERROR when the secret is no longer valid
 */
export function requireUsableSecret(
  state: State,
  { clientId, clientSecret }: Pick<Shape<'CreatedOAuthClient'>, 'clientId' | 'clientSecret'>,
): void {
  const client = state.tables.clients.get(clientId);
  const isPrevious =
    client?.previousSecret === clientSecret && isOverlapping(state, client as OAuthClient);
  if (client && (client.secret === clientSecret || isPrevious)) return;
  throw endedSecret('client', client !== undefined);
}

function save(state: State, client: OAuthClientRecord): OAuthClient {
  const saved = { ...client, updatedAt: timestamp(state.now()) };
  state.tables.clients.set(client.clientId, saved);
  return presentClient(state, saved);
}

/** A client with a new name, address or scope is no longer verified, unless an administrator changes it. */
function remainsVerified(actor: Actor, before: OAuthClient, after: OAuthClient): boolean {
  if (actor.user.role === 'admin') return after.verified;
  const hasMore = after.scopes.some((scope) => !before.scopes.includes(scope));
  const isOther = diffOf(before, after, ['name', 'redirectUris']) !== undefined;
  return after.verified && !isOther && !hasMore;
}

function isOverlapping(state: State, { previousSecretExpiresAt }: OAuthClient): boolean {
  return previousSecretExpiresAt !== null && !isPast(previousSecretExpiresAt, state);
}

/** A client without its secrets. */
function presentClient(
  state: State,
  { secret: _, previousSecret: __, ...client }: OAuthClientRecord,
): OAuthClient {
  const { previousSecretExpiresAt } = client;
  return {
    ...client,
    previousSecretExpiresAt: isOverlapping(state, client) ? previousSecretExpiresAt : null,
  };
}
