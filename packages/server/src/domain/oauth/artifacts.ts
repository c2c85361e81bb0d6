import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from '../../lib/encryption.ts';
import type { OAuthArtifactRecord } from '../../store/rows/oauth/artifacts.ts';
import type { Repositories } from '../../store/store.ts';
import { digest } from '../accounts/secrets.ts';
import type { ServiceOptions } from '../unit-of-work.ts';

/** A code, token, request or session of the OAuth engine, without the values that a client presents. */
export interface Artifact {
  /** The stored form of its id. */
  readonly idHash: Uint8Array;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly consumedAt: number | null;
}

export interface NewArtifact {
  readonly payload: Readonly<Record<string, unknown>>;
  /** A second key that finds the artifact. */
  readonly lookup?: string | undefined;
  readonly grantId?: string | undefined;
  /** The session of the account, for the sign-in of a browser. */
  readonly sessionId?: string | undefined;
  /** Seconds. */
  readonly lifetime: number;
}

/** The kind of artifact that a browser is signed in with. */
export const signInKind = 'Session';

export const deviceKind = 'DeviceCode';

const replayKind = 'Assertion';

/** Kinds that are also found by a second key. The others can be read only with the id that their client presents. */
const openKinds: ReadonlySet<string> = new Set([signInKind, deviceKind]);

/** How devices may poll, in milliseconds (RFC 8628, section 3.5). Responses and polls travel for a while. */
const polling = { interval: 5_000, leeway: 1_000, step: 5_000 };

const refreshTokenKind = 'RefreshToken';

/** How long a rotated refresh token still returns its successor, in milliseconds. */
export const reuseGrace = 10_000;

/** The stored form of the id of an artifact. */
export function artifactHash(kind: string, id: string): Buffer {
  return digest(`${kind}:${id}`);
}

const lookupHash = (kind: string, key: string) => artifactHash(`${kind} lookup`, key);

/** An id, or its stored form where the id is not known. */
export type ArtifactId = string | Uint8Array;

const hashOf = (kind: string, id: ArtifactId) =>
  typeof id === 'string' ? artifactHash(kind, id) : id;

/** Stores the artifacts of the OAuth engine by their digests. */
export function createArtifacts({ store, clock }: Pick<ServiceOptions, 'store' | 'clock'>) {
  async function save(kind: string, id: ArtifactId, artifact: NewArtifact): Promise<void> {
    const record = toRecord(kind, id, artifact);
    const { grantId, expiresAt } = record;
    await store.transaction(async (tx) => {
      await tx.oauthArtifacts.save(record);
      if (kind === refreshTokenKind && grantId !== null) {
        await tx.oauthGrants.extend(grantId, expiresAt);
      }
    });
  }

  function toRecord(
    kind: string,
    id: ArtifactId,
    { payload, lookup, grantId, sessionId, lifetime }: NewArtifact,
  ): Omit<OAuthArtifactRecord, 'consumedAt'> {
    const now = clock.now();
    return {
      idHash: hashOf(kind, id),
      kind,
      lookupHash: lookup === undefined ? null : lookupHash(kind, lookup),
      grantId: grantId ?? null,
      sessionId: sessionId ?? null,
      payload: openKinds.has(kind) ? JSON.stringify(payload) : locked(payload, String(id)),
      createdAt: now,
      expiresAt: now + lifetime * 1000,
    };
  }

  async function find(kind: string, id: ArtifactId): Promise<Artifact | undefined> {
    const found = await store.oauthArtifacts.find(hashOf(kind, id));
    if (found === undefined || openKinds.has(kind)) return present(found);
    return present({ ...found, payload: unlocked(found.payload, String(id)) });
  }

  async function findByLookup(kind: string, key: string): Promise<Artifact | undefined> {
    return present(await store.oauthArtifacts.findByLookup(lookupHash(kind, key)));
  }

  async function present(found: OAuthArtifactRecord | undefined): Promise<Artifact | undefined> {
    if (!found || !(await isPresent(found))) return undefined;
    const { idHash, payload, createdAt, expiresAt, consumedAt } = found;
    return { idHash, payload: JSON.parse(payload), createdAt, expiresAt, consumedAt };
  }

  /** The engine takes an expired artifact for 15 seconds more. A device learns that its code has expired. */
  async function isPresent(found: OAuthArtifactRecord): Promise<boolean> {
    if (found.kind === deviceKind) return true;
    if (found.expiresAt <= clock.now()) return false;
    return found.kind !== signInKind || isSignedIn(store, found);
  }

  /**
   * Notes that a client has used an assertion. Returns false when it was used before: of parallel calls, one succeeds.
   *
   * @param lifetime seconds after which the assertion is not valid
   */
  function useAssertion(id: string, lifetime: number): Promise<boolean> {
    const record = toRecord(replayKind, id, { payload: {}, lifetime });
    return store.transaction((tx) => tx.oauthArtifacts.insertNew(record));
  }

  /** Notes that a device asks for its token. Returns false when it must slow down. */
  function notePoll(code: string): Promise<boolean> {
    const poll = { idHash: artifactHash(deviceKind, code), now: clock.now(), ...polling };
    return store.transaction((tx) => tx.oauthArtifacts.notePoll(poll));
  }

  /** A browser is signed in as long as its session lives. Before the sign-in there is no session. */
  async function isSignedIn(
    { sessions }: Pick<Repositories, 'sessions'>,
    { sessionId }: Pick<OAuthArtifactRecord, 'sessionId'>,
  ): Promise<boolean> {
    if (sessionId === null) return true;
    const session = await sessions.findHolder(sessionId);
    const isLive = session && session.endedAt === null && session.expiresAt > clock.now();
    return isLive === true && session.status === 'active';
  }

  /** Marks an artifact as consumed. Returns false when another request was first. */
  function consume(kind: string, id: ArtifactId): Promise<boolean> {
    return store.transaction(async (tx) => {
      const now = clock.now();
      const hash = hashOf(kind, id);
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

  /**
   * Removes an artifact. A sign-in gets another id with each approval: requests that other tabs have sent with the
   * earlier id may still arrive, so it ends a little later.
   */
  async function remove(kind: string, id: ArtifactId): Promise<void> {
    if (kind === signInKind) {
      const now = clock.now();
      const end = { now, expiresAt: now + reuseGrace };
      return store.transaction((tx) => tx.oauthArtifacts.retire(hashOf(kind, id), end));
    }
    await store.transaction((tx) => tx.oauthArtifacts.delete(hashOf(kind, id)));
  }

  return { save, find, findByLookup, consume, isConsumed, remove, useAssertion, notePoll };
}

/** The payload of a waiting request has its address and the cookie of its browser. The store has digests of both. */
const payloadKey = (id: string) =>
  Buffer.from(hkdfSync('sha256', id, '', 'document-vault oauth payload', 32));

/** Encrypts a payload so that only the id of its artifact opens it. */
function locked(payload: NewArtifact['payload'], id: string): string {
  return encrypt(JSON.stringify(payload), payloadKey(id)).toString('base64');
}

function unlocked(stored: string, id: string): string {
  return decrypt(Buffer.from(stored, 'base64'), payloadKey(id)).toString();
}
