import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider, { type Client, errors } from 'oidc-provider';
import { deriveToken, digest } from '../domain/accounts/secrets.ts';
import type { OAuth } from '../domain/oauth/oauth.ts';
import type { Tier } from '../domain/shapes.ts';
import { digestsOf, ownMetadata, type PresentedToken } from './adapter.ts';
import { deviceGrant } from './paths.ts';

/** One request to the engine. */
export interface EngineExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** A verified access token that the request wants to revoke. */
  readonly presented?: PresentedToken | undefined;
  /**
   * Called before a request has an effect, with the client that has proven who it is; undefined for a public client,
   * which proves nothing. Resolves to whether the request is admitted.
   */
  readonly admit?: (client: AuthenticatedClient | undefined) => Promise<boolean>;
  /** Called when a device has asked for its token in time, and its user has not decided. */
  readonly onPoll?: () => void;
}

export interface AuthenticatedClient {
  readonly id: string;
  readonly ownerTier: Tier;
}

/** The parts of the server that the engine uses. */
export interface EngineParts {
  readonly oauth: OAuth;
  /** Signs cookies and forms, and derives the successors of refresh tokens. */
  readonly secret: Uint8Array;
  /** Returns the exchange of the running request. */
  readonly running: () => EngineExchange | undefined;
}

/** Changes what the engine does and has no option for. Each change names its reason. */
export function changeEngine(provider: Provider, { oauth, secret, running }: EngineParts): void {
  deriveSuccessors(provider, secret);
  compareDigests(provider, running);
  nameMissingGrants(provider);
  keepStoredSessions(provider);
  useAssertionsOnce(provider, { oauth, running });
  admitPublicClients(provider, running);
}

/**
 * Derives the successor of a refresh token from it: when the response is lost, the same token is sent again. The
 * store has digests alone.
 */
function deriveSuccessors(provider: Provider, secret: Uint8Array): void {
  // The types of the library do not name the method.
  const prototype = provider.RefreshToken.prototype as unknown as {
    generateTokenId(): string;
  };
  const random = prototype.generateTokenId;
  prototype.generateTokenId = function generateTokenId() {
    const predecessor = Provider.ctx?.oidc.entities.RotatedRefreshToken;
    return predecessor ? deriveToken(predecessor.jti, secret) : random.call(this);
  };
}

/**
 * Rejects a client that asks for a grant without having it as `unauthorized_client` (RFC 6749, sections 4.1.2.1 and
 * 5.2). The engine would call the request invalid.
 */
function nameMissingGrants(provider: Provider): void {
  const { prototype } = provider.Client;
  const { grantTypeAllowed, responseTypeAllowed } = prototype;
  const refuse = () => {
    throw new errors.UnauthorizedClient('the client is not registered for this grant');
  };
  prototype.grantTypeAllowed = function isGrantTypeAllowed(type) {
    return grantTypeAllowed.call(this, type) || (type === requestedGrant() && refuse());
  };
  prototype.responseTypeAllowed = function isResponseTypeAllowed(type) {
    return responseTypeAllowed.call(this, type) || refuse();
  };
}

/** Returns the grant that the running request asks for. The engine looks at others too, without rejecting it. */
function requestedGrant(): unknown {
  const { oidc } = Provider.ctx ?? {};
  return oidc?.route === 'device_authorization' ? deviceGrant : oidc?.params?.grant_type;
}

/**
 * Leaves a session unstored that was not stored before. For each error of a device's page, the engine prepares a form
 * and would fail where the browser has no session.
 */
function keepStoredSessions(provider: Provider): void {
  // The types of the library do not name the method.
  const prototype = provider.Session.prototype as unknown as { persist(): Promise<unknown> };
  const { persist } = prototype;
  prototype.persist = async function persistStored(this: { readonly exp?: number }) {
    if (this.exp !== undefined) await persist.call(this);
  };
}

/** Compares the digest of a secret: no client's secret is stored. */
function compareDigests(provider: Provider, running: EngineParts['running']): void {
  provider.Client.prototype.compareClientSecret = async function compareClientSecret(actual) {
    const given = digest(String(actual));
    const matches = digestsOf(this.clientSecret).map((stored) => {
      const expected = Buffer.from(stored, 'hex');
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    if (!matches.includes(true)) return false;
    await admit(running(), toAuthenticated(this));
    return true;
  };
}

/** Accepts each assertion of a client once. The engine looks for it first and stores it then: two could pass. */
function useAssertionsOnce(
  provider: Provider,
  { oauth, running }: Pick<EngineParts, 'oauth' | 'running'>,
): void {
  provider.ReplayDetection.unique = async (issuer, id, expiresAt) => {
    const lifetime = expiresAt - Math.floor(Date.now() / 1000);
    const key = JSON.stringify([issuer, id]);
    if (!(await oauth.artifacts.useAssertion(key, lifetime))) return false;
    const client = Provider.ctx?.oidc.client;
    await admit(running(), client && toAuthenticated(client));
    return true;
  };
}

/** Admits the requests of public clients, regardless of what the engine takes for their credentials. */
function admitPublicClients(provider: Provider, running: EngineParts['running']): void {
  const { find } = provider.Client;
  provider.Client.find = async function findAdmitted(id) {
    const client = await find.call(this, id);
    if (client?.clientAuthMethod === 'none') await admit(running(), undefined);
    return client;
  };
}

const toAuthenticated = (client: Client): AuthenticatedClient => ({
  id: client.clientId,
  ownerTier: client[ownMetadata.ownerTier] as Tier,
});

/** @throws errors.TemporarilyUnavailable when the client or the address has sent too many requests */
async function admit(
  exchange: EngineExchange | undefined,
  client: AuthenticatedClient | undefined,
): Promise<void> {
  if (!exchange?.admit || (await exchange.admit(client))) return;
  throw new errors.TemporarilyUnavailable();
}
