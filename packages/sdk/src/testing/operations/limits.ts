import { ServiceError, violation } from '../../generated/rules/errors.ts';
import type { AccountUsage, Instance, User, Vault } from '../../generated/types.ts';
import type { State } from '../state.ts';

const mebibyte = 1024 ** 2;

/** Quota of a vault in bytes, by the tier of its owner. */
const vaultQuotas = { free: 100 * mebibyte, paid: 10 * 1024 * mebibyte, enterprise: 1024 ** 4 };

/** Default quota of an instance in bytes: 10 TiB. */
export const instanceQuota = 10 * 1024 ** 4;

interface Addition {
  readonly bytes: number;
  /** Field of the violation. */
  readonly field: 'encryptedData' | 'vaultId';
}

/** Returns the instance of a vault. */
export function instanceOf({ tables }: State, { instanceId }: Vault): Instance {
  const instance = tables.instances.get(instanceId);
  if (!instance) throw new Error('A vault has no instance');
  return instance;
}

/**
 * Rejects content beyond the quota of the vault or the instance. Content that is only moved is in the
 * instance already.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function refuseBeyondQuota(state: State, vault: Vault, { bytes, field }: Addition): void {
  const quota = vaultQuotas[state.tables.users.get(vault.userId)?.tier ?? 'free'];
  if (vault.totalSize + bytes > quota) throw refusal(field, 'vault', quota);
  const { usedBytes, quotaBytes } = instanceOf(state, vault);
  if (field === 'encryptedData' && usedBytes + bytes > quotaBytes) {
    throw refusal(field, 'instance', quotaBytes);
  }
}

function refusal(field: string, holder: 'vault' | 'instance', quota: number) {
  const message = `The ${holder} would hold more than its quota of ${quota} bytes.`;
  return violation(field, `${holder}Quota`, message);
}

type Tier = User['tier'];
type Resource = keyof AccountUsage;

const gibibyte = 1024 ** 3;

/** Default limits of the service, by tier. */
const limits: Readonly<Record<Resource, Readonly<Record<Tier, number>>>> = {
  bytes: { free: gibibyte, paid: 100 * gibibyte, enterprise: 10 * 1024 * gibibyte },
  vaults: { free: 100, paid: 1_000, enterprise: 100_000 },
  documents: { free: 10_000, paid: 1_000_000, enterprise: 100_000_000 },
  shares: { free: 1_000, paid: 100_000, enterprise: 10_000_000 },
  consents: { free: 1_000, paid: 100_000, enterprise: 10_000_000 },
  keys: { free: 20, paid: 100, enterprise: 1_000 },
  webhooks: { free: 10, paid: 100, enterprise: 1_000 },
};

const names: Readonly<Record<Exclude<Resource, 'bytes'>, string>> = {
  vaults: 'vaults',
  documents: 'documents',
  shares: 'shares',
  consents: 'consents',
  keys: 'API keys',
  webhooks: 'webhooks',
};

/** How an account can get below a limit. */
const waysOut: Readonly<Record<keyof typeof names, string>> = {
  vaults: 'Delete vaults that are not needed',
  documents: 'Delete documents that are not needed',
  shares: 'Delete documents that need not be shared, wait until ended shares are removed',
  consents: 'Renew a consent instead of granting it anew',
  keys: 'Revoke keys that are not used',
  webhooks: 'Delete webhooks that are not used',
};

/**
 * Rejects more rows than the tier allows. Bytes are not limited: memory runs out before the smallest
 * limit.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function refuseExcess(state: State, userId: string, resource: keyof typeof names): void {
  const tier = tierOf(state, userId);
  const limit = limits[resource][tier];
  if (rowsOf(state, userId, resource).length < limit) return;
  const message =
    `An account of the ${tier} tier may have ${limit} ${names[resource]}. ` +
    `${waysOut[resource]}, or move to a higher tier.`;
  const violation = { field: 'body', constraint: 'accountRows', message };
  const { field, constraint } = violation;
  const details = { field, constraint, resource, violations: [violation] };
  throw new ServiceError('VALIDATION_ERROR', { message, details });
}

/** Usage of an account with its limits. */
export function usageOf(state: State, userId: string): AccountUsage {
  const tier = tierOf(state, userId);
  const of = (resource: Resource, used: number) => ({ used, limit: limits[resource][tier] });
  const count = (resource: keyof typeof names) =>
    of(resource, rowsOf(state, userId, resource).length);
  return {
    bytes: of('bytes', bytesOf(state, userId)),
    vaults: count('vaults'),
    documents: count('documents'),
    shares: count('shares'),
    consents: count('consents'),
    keys: count('keys'),
    webhooks: count('webhooks'),
  };
}

function tierOf({ tables }: State, userId: string): Tier {
  return tables.users.get(userId)?.tier ?? 'free';
}

function rowsOf({ tables }: State, userId: string, resource: keyof typeof names) {
  const rows = resource === 'keys' ? tables.apiKeys : tables[resource];
  return [...rows.values()].filter((row) => row.userId === userId);
}

/** Bytes of contents and of texts of the account. */
function bytesOf({ tables }: State, userId: string): number {
  const own = <Row extends { readonly userId: string }>(rows: ReadonlyMap<string, Row>) =>
    [...rows.values()].filter((row) => row.userId === userId);
  const sizes = [
    ...own(tables.vaults).map((vault) => lengthOf(vault.name, vault.description, vault.category)),
    ...own(tables.documents).map(
      (document) =>
        document.sizeBytes +
        lengthOf(document.fileName, document.mimeType, document.encryptionMetadata),
    ),
    ...own(tables.consents).map((consent) =>
      lengthOf(
        consent.purpose,
        consent.description,
        consent.grantedTo,
        consent.scopes,
        consent.revocationReason,
        consent.metadata,
      ),
    ),
    ...own(tables.apiKeys).map((key) => lengthOf(key.name, key.scopes)),
    ...own(tables.webhooks).map((webhook) =>
      lengthOf(webhook.url, webhook.events, webhook.description, webhook.headers, webhook.metadata),
    ),
  ];
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes of texts and of objects as JSON. */
function lengthOf(...values: readonly unknown[]): number {
  return values
    .filter((value) => value != null)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
}
