import type { Clock } from '../../clock.ts';
import type { OAuthArtifactRecord } from '../../store/repositories/oauth-artifacts.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { digest } from '../accounts/secrets.ts';

/** A code, token, request or session of the OAuth engine, without the values that a client presents. */
export interface Artifact {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly consumedAt: number | null;
}

export interface NewArtifact {
  readonly payload: Readonly<Record<string, unknown>>;
  /** A second key that finds the artifact. */
  readonly lookup: string | undefined;
  readonly grantId: string | undefined;
  /** The session of the account, for the sign-in of a browser. */
  readonly sessionId: string | undefined;
  /** Seconds. */
  readonly lifetime: number;
}

export interface ArtifactsOptions {
  readonly store: Store;
  readonly clock: Clock;
}

export type Artifacts = ReturnType<typeof createArtifacts>;

/** The kind of artifact that a browser is signed in with. */
const signInKind = 'Session';

const refreshTokenKind = 'RefreshToken';

/** How long a rotated refresh token still returns its successor, in milliseconds. */
export const reuseGrace = 10_000;

/** The stored form of the id of an artifact. */
export function artifactHash(kind: string, id: string): Buffer {
  return digest(`${kind}:${id}`);
}

const lookupHash = (kind: string, key: string) => artifactHash(`${kind} lookup`, key);

/** Stores the artifacts of the OAuth engine by their digests. */
export function createArtifacts({ store, clock }: ArtifactsOptions) {
  async function save(kind: string, id: string, artifact: NewArtifact): Promise<void> {
    const { payload, lookup, grantId = null, sessionId = null, lifetime } = artifact;
    const now = clock.now();
    const expiresAt = now + lifetime * 1000;
    await store.transaction(async (tx) => {
      await tx.oauthArtifacts.save({
        idHash: artifactHash(kind, id),
        kind,
        lookupHash: lookup === undefined ? null : lookupHash(kind, lookup),
        grantId,
        sessionId,
        payload: JSON.stringify(payload),
        createdAt: now,
        expiresAt,
      });
      if (kind === refreshTokenKind && grantId !== null) {
        await tx.oauthGrants.extend(grantId, expiresAt);
      }
    });
  }

  async function find(kind: string, id: string): Promise<Artifact | undefined> {
    return present(await store.oauthArtifacts.find(artifactHash(kind, id)));
  }

  async function findByLookup(kind: string, key: string): Promise<Artifact | undefined> {
    return present(await store.oauthArtifacts.findByLookup(lookupHash(kind, key)));
  }

  async function present(found: OAuthArtifactRecord | undefined): Promise<Artifact | undefined> {
    if (!found || (found.kind === signInKind && !(await isSignedIn(store, found)))) {
      return undefined;
    }
    const { payload, createdAt, expiresAt, consumedAt } = found;
    return { payload: JSON.parse(payload), createdAt, expiresAt, consumedAt };
  }

  /** A browser is signed in as long as its session lives. Before the sign-in there is no session. */
  async function isSignedIn(
    { sessions }: Pick<Repositories, 'sessions'>,
    { sessionId }: OAuthArtifactRecord,
  ): Promise<boolean> {
    if (sessionId === null) return true;
    const session = await sessions.findHolder(sessionId);
    const isLive = session && session.endedAt === null && session.expiresAt > clock.now();
    return isLive === true && session.status === 'active';
  }

  /** Marks an artifact as consumed. Returns false when another request was first. */
  function consume(kind: string, id: string): Promise<boolean> {
    return store.transaction(async (tx) => {
      const now = clock.now();
      const hash = artifactHash(kind, id);
      if (await tx.oauthArtifacts.consume(hash, now)) return true;
      const found = await tx.oauthArtifacts.find(hash);
      return found !== undefined && isInGrace(found, now);
    });
  }

  /** Whether a refresh token was rotated so recently that its answer may have been lost. */
  function isInGrace(
    { kind, consumedAt }: Pick<OAuthArtifactRecord, 'kind' | 'consumedAt'>,
    now: number,
  ): boolean {
    return kind === refreshTokenKind && consumedAt !== null && now - consumedAt <= reuseGrace;
  }

  /** Whether an artifact counts as consumed for a request of this moment. */
  function isConsumed(kind: string, { consumedAt }: Artifact): boolean {
    return consumedAt !== null && !isInGrace({ kind, consumedAt }, clock.now());
  }

  async function remove(kind: string, id: string): Promise<void> {
    await store.transaction((tx) => tx.oauthArtifacts.delete(artifactHash(kind, id)));
  }

  return { save, find, findByLookup, consume, isConsumed, remove };
}
