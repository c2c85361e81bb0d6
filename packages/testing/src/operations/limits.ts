import type { AccountUsage, Document, Instance, User, Vault } from '@document-vault/sdk';
import {
  beyondQuota,
  type LimitedRows,
  tooManyBytes,
  tooManyRows,
} from '../generated/rules/limits.ts';
import { maxOpenUploads } from '../generated/rules/uploads.ts';
import { openUploads, type State } from '../state.ts';

const mebibyte = 1024 ** 2;

/** Quota of a vault in bytes, by the tier of its owner. */
const vaultQuotas = { free: 100 * mebibyte, paid: 10 * 1024 * mebibyte, enterprise: 1024 ** 4 };

/** Default quota of an instance in bytes: 10 TiB. */
export const instanceQuota = 10 * 1024 ** 4;

interface Addition {
  readonly bytes: number;
  /** Field of the violation. */
  readonly field: 'encryptedData' | 'uploadId' | 'sizeBytes' | 'vaultId';
}

/** A new document. */
interface Arrival {
  readonly document: Pick<Document, 'fileName' | 'mimeType' | 'encryptionMetadata' | 'sizeBytes'>;
  /** Bytes of the content that no upload has reserved. */
  readonly unreserved: number;
  /** The field of the request that stands for the content. */
  readonly field: 'encryptedData' | 'uploadId';
}

/** Returns the instance of a vault. */
export function instanceOf({ tables }: State, { instanceId }: Vault): Instance {
  const instance = tables.instances.get(instanceId);
  if (!instance) throw new Error('A vault has no instance');
  return instance;
}

/**
 * Rejects a new document beyond the quota of the vault or the instance, or the limits of the account.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function refuseDocument(
  state: State,
  vault: Vault,
  { document, unreserved, field }: Arrival,
): void {
  refuseBeyondQuota(state, vault, { bytes: document.sizeBytes, field }, unreserved);
  refuseExcess(state, vault.userId, 'documents');
  refuseBytes(state, vault.userId, { bytes: unreserved + describedBytes(document), field });
}

/**
 * Rejects content beyond the quota of the vault or the instance. Content that is only moved is in the
 * instance already.
 *
 * @param unreserved - bytes that no upload has reserved in the vault
 * @throws ServiceError VALIDATION_ERROR
 */
export function refuseBeyondQuota(
  state: State,
  vault: Vault,
  { bytes, field }: Addition,
  unreserved = bytes,
): void {
  const quota = vaultQuotas[tierOf(state, vault.userId)];
  const reserved = sum(openUploads(state).filter(({ vaultId }) => vaultId === vault.id));
  if (vault.totalSize + reserved + unreserved > quota) throw beyondQuota(field, 'vault', quota);
  const { usedBytes, quotaBytes } = instanceOf(state, vault);
  if (field !== 'vaultId' && usedBytes + bytes > quotaBytes) {
    throw beyondQuota(field, 'instance', quotaBytes);
  }
}

function sum(uploads: readonly { readonly sizeBytes: number }[]): number {
  return uploads.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
}

type Tier = User['tier'];
type Resource = keyof AccountUsage;
/** Kinds of rows that the tier limits. */
type TieredResource = Exclude<Resource, 'uploads'>;

const gibibyte = 1024 ** 3;

/** Default limits of the service, by tier. */
const limits: Readonly<Record<TieredResource, Readonly<Record<Tier, number>>>> = {
  bytes: { free: gibibyte, paid: 100 * gibibyte, enterprise: 10 * 1024 * gibibyte },
  vaults: { free: 100, paid: 1_000, enterprise: 100_000 },
  documents: { free: 10_000, paid: 1_000_000, enterprise: 100_000_000 },
  shares: { free: 1_000, paid: 100_000, enterprise: 10_000_000 },
  consents: { free: 1_000, paid: 100_000, enterprise: 10_000_000 },
  keys: { free: 20, paid: 100, enterprise: 1_000 },
  webhooks: { free: 10, paid: 100, enterprise: 1_000 },
  clients: { free: 10, paid: 100, enterprise: 1_000 },
};

/**
 * Rejects more rows than the account may have.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function refuseExcess(state: State, userId: string, resource: LimitedRows): void {
  const tier = tierOf(state, userId);
  const limit = limitOf(resource, tier);
  if (rowsOf(state, userId, resource).length < limit) return;
  throw tooManyRows(resource, tier, limit);
}

/**
 * Rejects content beyond the bytes of the account. The texts of other rows are not limited.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function refuseBytes(state: State, userId: string, { bytes, field }: Addition): void {
  const tier = tierOf(state, userId);
  const limit = limitOf('bytes', tier);
  if (bytesOf(state, userId) + bytes <= limit) return;
  throw tooManyBytes(field, tier, limit);
}

function limitOf(resource: Resource, tier: Tier): number {
  return resource === 'uploads' ? maxOpenUploads : limits[resource][tier];
}

/** Usage of an account with its limits. */
export function usageOf(state: State, userId: string): AccountUsage {
  const tier = tierOf(state, userId);
  const usage = ([...Object.keys(limits), 'uploads'] as Resource[]).map((resource) => {
    const used =
      resource === 'bytes' ? bytesOf(state, userId) : rowsOf(state, userId, resource).length;
    return [resource, { used, limit: limitOf(resource, tier) }];
  });
  return Object.fromEntries(usage) as AccountUsage;
}

function tierOf({ tables }: State, userId: string): Tier {
  return tables.users.get(userId)?.tier ?? 'free';
}

function rowsOf(state: State, userId: string, resource: LimitedRows) {
  const rows = resource === 'keys' ? state.tables.apiKeys : state.tables[resource];
  if (resource === 'uploads') openUploads(state);
  return [...rows.values()].filter((row) => row.userId === userId);
}

/** Bytes of contents and of texts of the account, and of its open uploads. */
function bytesOf(state: State, userId: string): number {
  const { tables } = state;
  const own = <Row extends { readonly userId: string }>(rows: ReadonlyMap<string, Row>) =>
    [...rows.values()].filter((row) => row.userId === userId);
  const texts = <Row extends { readonly userId: string }>(
    rows: ReadonlyMap<string, Row>,
    names: readonly (keyof Row)[],
  ) => own(rows).map((row) => lengthOf(...names.map((name) => row[name])));
  const sizes = [
    ...own(tables.documents).map((document) => document.sizeBytes + describedBytes(document)),
    ...openUploads(state)
      .filter((upload) => upload.userId === userId)
      .map(({ sizeBytes }) => sizeBytes),
    ...texts(tables.keyrings, ['publicKey', 'privateKey', 'unlockers']),
    ...texts(tables.vaultKeys, ['sealed']),
    ...texts(tables.vaults, ['name', 'description', 'category']),
    ...texts(tables.consents, ['purpose', 'description', 'grantedTo', 'scopes']),
    ...texts(tables.consents, ['revocationReason', 'metadata']),
    ...texts(tables.apiKeys, ['name', 'scopes']),
    ...texts(tables.webhooks, ['url', 'events', 'description', 'headers', 'metadata']),
    ...texts(tables.clients, ['name', 'redirectUris', 'scopes', 'grantTypes', 'jwks']),
  ];
  return sizes.reduce((sum, size) => sum + size, 0);
}

function describedBytes({ fileName, mimeType, encryptionMetadata }: Arrival['document']): number {
  return lengthOf(fileName, mimeType, encryptionMetadata);
}

/** Bytes of texts and of objects as JSON. */
function lengthOf(...values: readonly unknown[]): number {
  return values
    .filter((value) => value != null)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
}
