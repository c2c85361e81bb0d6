import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { errors } from 'oidc-provider';
import {
  type Artifact,
  type ArtifactId,
  deviceKind,
  signInKind,
} from '../domain/oauth/artifacts.ts';
import type { OAuth, UsableClient } from '../domain/oauth/oauth.ts';
import type { Clock } from '../lib/clock.ts';

export interface AdapterOptions {
  readonly oauth: OAuth;
  readonly clock: Clock;
  /** Returns the audience of access tokens. */
  readonly audience: () => string;
  /** Returns the verified access token that the running request wants to revoke. */
  readonly presentedToken: () => PresentedToken | undefined;
  /** Returns the client that asks for the token of a device in the running request. */
  readonly pollingClient: () => string | undefined;
  /** Called when a device has asked for its token in time, and its user has not decided. */
  readonly onPoll: () => void;
}

/** An access token that the engine did not store. */
export interface PresentedToken {
  readonly clientId: string;
  readonly grantId: string | null;
  readonly tokenId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

/** Connects the engine with the store, by the kind of its models. */
export function createAdapters(options: AdapterOptions): AdapterFactory {
  return (kind) => {
    if (kind === 'Client') return clientAdapter(options);
    if (kind === 'Grant') return grantAdapter(options);
    if (kind === 'AccessToken' || kind === 'ClientCredentials') return tokenAdapter(kind, options);
    if (kind === deviceKind) return deviceAdapter(options);
    return artifactAdapter(kind, options);
  };
}

/** Returns an adapter whose other methods the engine never calls. */
function adapterOf(kind: string, methods: Partial<Adapter>): Adapter {
  const never = (name: string) => async () => {
    throw new Error(`the engine called ${name} of ${kind}`);
  };
  return {
    upsert: never('upsert'),
    find: never('find'),
    findByUid: never('findByUid'),
    findByUserCode: never('findByUserCode'),
    consume: never('consume'),
    destroy: never('destroy'),
    // Every token is checked against its grant, which ends with `destroy`.
    revokeByGrantId: async () => undefined,
    ...methods,
  };
}

/**
 * Returns an artifact as the engine reads it. The engine reads the system's clock, so its times are stored by the
 * server's clock and converted.
 */
function toPayload(
  artifact: Artifact | undefined,
  facts: object,
  { kind, clock, oauth }: Pick<AdapterOptions, 'clock' | 'oauth'> & { readonly kind: string },
): AdapterPayload | undefined {
  if (!artifact) return undefined;
  const ahead = seconds(Date.now()) - seconds(clock.now());
  return {
    ...artifact.payload,
    ...facts,
    iat: seconds(artifact.createdAt) + ahead,
    exp: seconds(artifact.expiresAt) + ahead,
    ...(oauth.artifacts.isConsumed(kind, artifact) && { consumed: seconds(Date.now()) }),
  } as AdapterPayload;
}

async function consumeOnce(oauth: OAuth, kind: string, id: ArtifactId): Promise<void> {
  if (await oauth.artifacts.consume(kind, id)) return;
  throw new errors.InvalidGrant(`${kind} already consumed`);
}

/** Codes, refresh tokens, pushed requests, sign-ins and interactions. */
function artifactAdapter(kind: string, { oauth, clock }: AdapterOptions): Adapter {
  const { artifacts } = oauth;
  const to = { kind, clock, oauth };
  const isSignIn = kind === signInKind;
  return adapterOf(kind, {
    async upsert(id, { jti, iat, exp, consumed, ...payload }, lifetime = 0) {
      const { grantId, uid, acr } = payload;
      const lookup = isSignIn ? uid : undefined;
      const sessionId = isSignIn ? acr : undefined;
      await artifacts.save(kind, id, { payload, lookup, grantId, sessionId, lifetime });
    },
    find: async (id) => toPayload(await artifacts.find(kind, id), { jti: id }, to),
    findByUid: async (uid) => toPayload(await artifacts.findByLookup(kind, uid), {}, to),
    consume: (id) => consumeOnce(oauth, kind, id),
    destroy: (id) => artifacts.remove(kind, id),
  });
}

/**
 * The codes of devices. The pages find them by the code that a user enters. The stored digest of the device's own code
 * stands for it there: the store does not contain the code.
 */
function deviceAdapter({ oauth, clock, pollingClient, onPoll }: AdapterOptions): Adapter {
  const kind = deviceKind;
  const { artifacts } = oauth;
  const to = { kind, clock, oauth };
  /** A client cannot present a digest. */
  const toId = (id: string): ArtifactId =>
    id.startsWith(standIn) && pollingClient() === undefined
      ? Buffer.from(id.slice(standIn.length), 'hex')
      : id;

  async function poll(id: string, { accountId, error, clientId, exp = 0 }: AdapterPayload) {
    const isWaiting = !accountId && !error && exp > seconds(Date.now());
    if (!isWaiting || pollingClient() !== clientId) return;
    if (!(await artifacts.notePoll(id))) throw new errors.SlowDown();
    onPoll();
  }

  return adapterOf(kind, {
    async upsert(id, { jti, iat, exp, consumed, userCode, ...payload }, lifetime = 0) {
      const { grantId } = payload;
      await artifacts.save(kind, toId(id), { payload, lookup: userCode, grantId, lifetime });
    },
    async find(id) {
      const payload = toPayload(await artifacts.find(kind, toId(id)), { jti: id }, to);
      if (payload && pollingClient() !== undefined) await poll(id, payload);
      return payload;
    },
    async findByUserCode(userCode) {
      const artifact = await artifacts.findByLookup(kind, userCode);
      const jti = standIn + Buffer.from(artifact?.idHash ?? []).toString('hex');
      return toPayload(artifact, { jti, userCode }, to);
    },
    consume: (id) => consumeOnce(oauth, kind, toId(id)),
    destroy: (id) => artifacts.remove(kind, toId(id)),
  });
}

/** Begins the stand-in for the code of a device. */
const standIn = 'digest:';

/** Clients as they are registered now. Digests stand in the place of secrets. */
function clientAdapter({ oauth }: AdapterOptions): Adapter {
  return adapterOf('Client', {
    async find(id) {
      const client = await oauth.findClient(id);
      return client && toMetadata(client);
    },
  });
}

/** Metadata of clients that only this server knows. */
export const ownMetadata = {
  verified: 'verified',
  credentialsVersion: 'credentials_version',
  ownerTier: 'owner_tier',
} as const;

/** Between the digests of a client's valid secrets. */
const digestSeparator = '.';

/** Returns the digests in the place of a client's secret, in hexadecimal. */
export function digestsOf(clientSecret: string | undefined): readonly string[] {
  return clientSecret?.split(digestSeparator) ?? [];
}

/** The engine leaves the port of http loopback addresses free for a native client, and refuses https there. */
const isNative = (uri: string) => !uri.startsWith('https:');

function toMetadata(client: UsableClient): AdapterPayload {
  const { grantTypes, secretHashes, jwks, redirectUris } = client;
  const takesCodes = grantTypes.includes('authorization_code');
  const digests = secretHashes.map((hash) => Buffer.from(hash).toString('hex'));
  const usesSecret = client.tokenEndpointAuthMethod.startsWith('client_secret');
  return {
    client_id: client.id,
    client_name: client.name,
    redirect_uris: redirectUris,
    grant_types: grantTypes,
    response_types: takesCodes ? ['code'] : [],
    response_modes: ['query'],
    scope: client.scopes.join(' '),
    application_type: redirectUris.some(isNative) ? 'native' : 'web',
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    require_pushed_authorization_requests: client.requirePar,
    // A client without a valid secret matches no digest.
    ...(usesSecret && { client_secret: digests.join(digestSeparator) || 'none' }),
    ...(jwks && { jwks }),
    [ownMetadata.verified]: client.verified,
    [ownMetadata.credentialsVersion]: client.credentialsVersion,
    [ownMetadata.ownerTier]: client.ownerTier,
  } as AdapterPayload;
}

/** Grants that are in force. Approval inserts them together with the consent, not the engine. */
function grantAdapter({ oauth, clock, audience }: AdapterOptions): Adapter {
  return adapterOf('Grant', {
    async find(id) {
      const grant = await oauth.grants.find(id);
      if (!grant) return undefined;
      const ahead = seconds(Date.now()) - seconds(clock.now());
      return {
        jti: id,
        kind: 'Grant',
        accountId: grant.userId,
        clientId: grant.clientId,
        resources: { [audience()]: grant.scopes.join(' ') },
        iat: seconds(grant.createdAt) + ahead,
        exp: seconds(grant.expiresAt) + ahead,
      } as AdapterPayload;
    },
    destroy: (id) => oauth.grants.revoke(id),
  });
}

/** Access tokens are not stored. One that is to be revoked was verified before. */
function tokenAdapter(
  kind: 'AccessToken' | 'ClientCredentials',
  { oauth, clock, presentedToken }: AdapterOptions,
): Adapter {
  return adapterOf(kind, {
    async find(id) {
      const token = presentedToken();
      const isOfKind = (token?.grantId === null) === (kind === 'ClientCredentials');
      if (token?.tokenId !== id || !isOfKind) return undefined;
      const { clientId, grantId, expiresAt } = token;
      const ahead = seconds(Date.now()) - seconds(clock.now());
      const exp = seconds(expiresAt) + ahead;
      return { jti: id, kind, clientId, grantId: grantId ?? undefined, exp, format: 'opaque' };
    },
    async destroy(id) {
      const token = presentedToken();
      if (token?.grantId === null && token.tokenId === id) await oauth.revokeToken(token);
    },
  });
}
