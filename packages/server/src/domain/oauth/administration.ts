import { notFound } from '../../generated/rules/errors.ts';
import type { OAuthClientRecord } from '../../store/rows/oauth/clients.ts';
import { findAccount, inPlaceOf, type Operator, refuseOthers } from '../accounts/administration.ts';
import type { Actor } from '../actor.ts';
import type { Shape } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { type OAuthClient, type OAuthClients, presentClient } from './oauth-clients.ts';

/** A client with its account, as operators see it. */
export interface HeldClient extends OAuthClient {
  readonly email: string;
}

export interface ClientAdministrationOptions extends Pick<ServiceOptions, 'store' | 'clock'> {
  readonly oauthClients: OAuthClients;
}

export type ClientAdministration = ReturnType<typeof createClientAdministration>;

/** Rows per query. */
const pageSize = 500;

/** Operations of an operator on OAuth clients, in the place of their accounts. `account` is an id or an email address. */
export function createClientAdministration(options: ClientAdministrationOptions) {
  const { store, clock, oauthClients } = options;

  async function list(actor: Operator, account?: string): Promise<HeldClient[]> {
    refuseOthers(actor);
    const userId = account === undefined ? null : (await findAccount(store, actor, account)).id;
    const found: HeldClient[] = [];
    for (let page = 1; ; page += 1) {
      const order = { sortBy: 'createdAt', sortOrder: 'asc' } as const;
      const { rows, totalCount } = await store.oauthClients.list({
        ...order,
        userId,
        page,
        pageSize,
      });
      for (const client of rows) found.push(await held(client));
      if (page * pageSize >= totalCount) return found;
    }
  }

  async function get(actor: Operator, clientId: string): Promise<HeldClient> {
    refuseOthers(actor);
    return held(await find(clientId));
  }

  async function create(
    actor: Operator,
    account: string,
    input: Shape<'CreateOAuthClient'>,
  ): Promise<Shape<'CreatedOAuthClient'>> {
    const owner = await findAccount(store, actor, account);
    return oauthClients.create(inPlaceOf(actor, owner), input);
  }

  async function update(
    actor: Operator,
    clientId: string,
    input: Shape<'UpdateOAuthClient'>,
  ): Promise<OAuthClient> {
    // An operator decides what an administrator decides, with no more scopes than the account.
    const owner: Actor = { ...(await ownerOf(actor, clientId)), role: 'admin' };
    return oauthClients.update(owner, clientId, input);
  }

  async function rotateSecret(
    actor: Operator,
    clientId: string,
  ): Promise<Shape<'RotatedClientSecret'>> {
    return oauthClients.rotateSecret(await ownerOf(actor, clientId), clientId);
  }

  async function remove(actor: Operator, clientId: string): Promise<void> {
    await oauthClients.remove(await ownerOf(actor, clientId), clientId);
  }

  async function find(clientId: string): Promise<OAuthClientRecord> {
    const client = await store.oauthClients.find(clientId);
    if (!client) throw notFound('OAuth client', { clientId });
    return client;
  }

  async function held(client: OAuthClientRecord): Promise<HeldClient> {
    const owner = await store.users.find(client.userId);
    return { ...presentClient(client, clock.now()), email: owner?.email ?? '' };
  }

  async function ownerOf(actor: Operator, clientId: string): Promise<Actor> {
    const { userId } = await find(clientId);
    return inPlaceOf(actor, await findAccount(store, actor, userId));
  }

  return { list, get, create, update, rotateSecret, remove };
}
