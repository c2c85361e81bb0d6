import type { UserRecord } from '../../store/rows/accounts/users.ts';
import type { OwnedClient } from '../../store/rows/oauth/clients.ts';
import { randomToken } from '../accounts/secrets.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { createArtifacts } from './artifacts.ts';
import { createGrants } from './grants.ts';
import { type OAuthTokenClaims, revokedTokenKind } from './tokens.ts';

export type OAuth = ReturnType<typeof createOAuth>;

/** A client with what verifies its secrets at this moment. */
export interface UsableClient extends OwnedClient {
  /** SHA-256 of each secret that it may use: after a rotation, the earlier one for a while. */
  readonly secretHashes: readonly Uint8Array[];
}

/** What the OAuth endpoints need of the domain. */
export function createOAuth(options: ServiceOptions) {
  const { store, clock } = options;
  const artifacts = createArtifacts(options);

  /** Returns a client that is not disabled and whose owner is not suspended. */
  async function findClient(id: string): Promise<UsableClient | undefined> {
    const client = await store.oauthClients.findUsable(id);
    if (!client) return undefined;
    const { secretHash, previousSecretHash, previousSecretUntil } = client;
    const isPreviousValid = previousSecretUntil !== null && previousSecretUntil > clock.now();
    const secretHashes = [secretHash, isPreviousValid ? previousSecretHash : null];
    return { ...client, secretHashes: secretHashes.filter((hash) => hash !== null) };
  }

  /** Returns an account that may use the server. */
  async function findUser(id: string): Promise<UserRecord | undefined> {
    const user = await store.users.find(id);
    return user?.status === 'active' ? user : undefined;
  }

  /** Returns the secret that signs cookies and derives tokens. All processes share it. */
  function secret(): Promise<Uint8Array> {
    return store.transaction((tx) =>
      tx.signingKeys.secret('oauth', () => Buffer.from(randomToken())),
    );
  }

  /** Revokes a token of client credentials, which has no grant. */
  async function revokeToken(
    token: Pick<OAuthTokenClaims, 'tokenId' | 'expiresAt'>,
  ): Promise<void> {
    const { tokenId, expiresAt } = token;
    const lifetime = Math.ceil((expiresAt - clock.now()) / 1000);
    await artifacts.save(revokedTokenKind, tokenId, { payload: {}, lifetime });
  }

  let isUsed = false;

  /** Whether a client is registered, or was since the start: the answer changes at most once in a process. */
  async function hasClients(): Promise<boolean> {
    isUsed ||= await store.oauthClients.exist();
    return isUsed;
  }

  /** Forgets that clients were registered, for tests. */
  function forget(): void {
    isUsed = false;
  }

  /** Ends the session of a sign-in. */
  async function endSession(id: string): Promise<void> {
    await store.transaction((tx) => tx.sessions.end(id, clock.now()));
  }

  return {
    endSession,
    revokeToken,
    grants: createGrants(options),
    artifacts,
    findClient,
    findUser,
    secret,
    hasClients,
    forget,
  };
}
