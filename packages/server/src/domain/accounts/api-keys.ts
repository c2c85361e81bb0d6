import { notFound, ServiceError } from '../../generated/rules/errors.ts';
import { futureEnd } from '../../generated/rules/periods.ts';
import { endedApiKey } from '../../generated/rules/replays.ts';
import { requireGrantable } from '../../generated/rules/scopes.ts';
import type { ApiKeyRecord } from '../../store/rows/accounts/api-keys.ts';
import { type OfAccount, ownerOfRows, requireVisible } from '../access.ts';
import type { Actor, WithCommitHook } from '../actor.ts';
import { inOrder, type ListQuery, type Page, toPage } from '../pages.ts';
import { optionalTimestamp, type Scope, type Shape, timestamp } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { digest, randomApiKey } from './secrets.ts';

export type ApiKey = Shape<'ApiKey'>;

export type ApiKeys = ReturnType<typeof createApiKeys>;

/** Characters of a key that lists show: `service_sk_` and four more. */
const prefixLength = 15;

export function createApiKeys({ store, work, clock, ids, accountLimits }: ServiceOptions) {
  async function list(
    actor: Actor,
    query: ListQuery<'createdAt' | 'name'> & OfAccount,
  ): Promise<Page<ApiKey>> {
    const rows = await store.apiKeys.list({ ...inOrder(query), userId: ownerOfRows(actor, query) });
    return toPage(rows, query, presentApiKey);
  }

  async function create(
    actor: WithCommitHook<Actor>,
    input: Shape<'CreateApiKey'>,
  ): Promise<Shape<'CreatedApiKey'>> {
    requireGrantable(actor, input.scopes);
    const now = clock.now();
    const { key, record } = newApiKey({
      keyId: ids.prefixed('key'),
      userId: actor.userId,
      name: input.name,
      scopes: input.scopes,
      createdAt: now,
      expiresAt: futureEnd(input.expiresAt, now),
    });
    return work(actor, async (tx) => {
      await tx.apiKeys.insert(record, digest(key));
      await accountLimits.refuseExcess(tx, record.userId, 'keys');
      return { ...presentApiKey(record), key };
    });
  }

  function revoke(actor: WithCommitHook<Actor>, keyId: string): Promise<void> {
    return work(actor, async (tx) => {
      const key = requireVisible(actor, await tx.apiKeys.find(keyId), 'API key', { keyId });
      if (key.revokedAt !== null) throw notFound('API key', { keyId });
      await tx.apiKeys.revoke(keyId, clock.now());
    });
  }

  /**
   * Checks a key before its creation is replayed: the stored outcome still holds its secret.
   *
   * @throws ServiceError VALIDATION_ERROR when the key was revoked or has expired
   */
  async function requireUsable({ keyId }: Pick<ApiKey, 'keyId'>): Promise<void> {
    const key = await store.apiKeys.find(keyId);
    const isExpired = key !== undefined && key.expiresAt !== null && key.expiresAt <= clock.now();
    if (key?.revokedAt === null && !isExpired) return;
    throw endedApiKey(isExpired);
  }

  /** Describes the API key of the request. */
  async function validate(actor: Actor): Promise<Shape<'ApiKeyValidation'>> {
    const key = actor.keyId === null ? undefined : await store.apiKeys.find(actor.keyId);
    if (!key) throw new ServiceError('INVALID_API_KEY');
    return {
      valid: true,
      keyId: key.keyId,
      name: key.name,
      scopes: key.scopes as Scope[],
      expiresAt: optionalTimestamp(key.expiresAt),
    };
  }

  return { list, create, revoke, requireUsable, validate };
}

/** Creates a key and its stored record. The digest is stored beside it. */
export function newApiKey(facts: Omit<ApiKeyRecord, 'prefix' | 'lastUsedAt' | 'revokedAt'>): {
  readonly key: string;
  readonly record: ApiKeyRecord;
} {
  const key = randomApiKey();
  const prefix = key.slice(0, prefixLength);
  return { key, record: { ...facts, prefix, lastUsedAt: null, revokedAt: null } };
}

export function presentApiKey(key: ApiKeyRecord): ApiKey {
  return {
    keyId: key.keyId,
    name: key.name,
    scopes: key.scopes as Scope[],
    prefix: key.prefix,
    createdAt: timestamp(key.createdAt),
    lastUsedAt: optionalTimestamp(key.lastUsedAt),
    expiresAt: optionalTimestamp(key.expiresAt),
  };
}
