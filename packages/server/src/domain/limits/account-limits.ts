import { ServiceError } from '../../generated/rules/errors.ts';
import { type LimitedRows, tooManyBytes, tooManyRows } from '../../generated/rules/limits.ts';
import { maxOpenUploads } from '../../generated/rules/uploads.ts';
import type { AccountUsage, TieredAccountUsage } from '../../store/rows/accounts/usage.ts';
import type { Repositories } from '../../store/store.ts';
import type { Shape, Tier } from '../shapes.ts';

type Limits = Readonly<Record<keyof AccountUsage, number>>;

type LimitOption =
  `account${'Quota' | 'Vaults' | 'Documents' | 'Shares' | 'Consents' | 'Keys' | 'Webhooks' | 'Clients'}`;

export type AccountLimits = ReturnType<typeof createAccountLimits>;

/** Limits the total storage of an account by its tier. */
export function createAccountLimits({
  disk,
  ...options
}: Readonly<Record<LimitOption, Readonly<Record<Tier, number>>>> & {
  /** Rejects growth while the disk is nearly full. Default: the disk is not checked. */
  readonly disk?: DiskSpace;
}) {
  const limitsOf = (tier: Tier): Limits => ({
    bytes: options.accountQuota[tier],
    vaults: options.accountVaults[tier],
    documents: options.accountDocuments[tier],
    shares: options.accountShares[tier],
    consents: options.accountConsents[tier],
    keys: options.accountKeys[tier],
    webhooks: options.accountWebhooks[tier],
    clients: options.accountClients[tier],
    // The same in every tier.
    uploads: maxOpenUploads,
  });

  async function find(tx: Repositories, userId: string): Promise<TieredAccountUsage> {
    const held = await tx.usage.ofAccount(userId);
    if (!held) throw new Error(`account ${userId} has no usage`);
    return held;
  }

  /**
   * Rejects a new row that exceeds the limits. Call it after the insert, because triggers count the row;
   * the error rolls it back.
   *
   * @throws ServiceError VALIDATION_ERROR, `accountRows` or `accountQuota`; INTERNAL_ERROR
   */
  async function refuseExcess(
    tx: Repositories,
    userId: string,
    resource: LimitedRows,
  ): Promise<void> {
    disk?.refuseGrowth();
    const held = await find(tx, userId);
    const limits = limitsOf(held.tier);
    if (held[resource] > limits[resource]) throw tooManyRows(resource, held.tier, limits[resource]);
    if (held.bytes > limits.bytes) throw tooManyBytes('body', held.tier, limits.bytes);
  }

  /**
   * Runs a change of existing rows. Rejects added bytes above the limit; a change that frees bytes always
   * succeeds.
   *
   * @param storesEvent whether the change stores an event, too: below the minimum of the disk it must free bytes then,
   *   so that it cannot be repeated for ever
   * @throws ServiceError VALIDATION_ERROR, `accountQuota`; INTERNAL_ERROR
   */
  async function refuseGrowth(
    tx: Repositories,
    userId: string,
    change: () => Promise<void>,
    { storesEvent = false }: { readonly storesEvent?: boolean } = {},
  ): Promise<void> {
    const before = await find(tx, userId);
    await change();
    const after = await find(tx, userId);
    const limits = limitsOf(after.tier);
    const grows = after.bytes > before.bytes;
    if (grows || (storesEvent && after.bytes === before.bytes)) disk?.refuseGrowth();
    if (!grows) return;
    if (after.bytes > limits.bytes) throw tooManyBytes('body', after.tier, limits.bytes);
  }

  /**
   * Rejects a document before its content is written.
   *
   * @param held usage of the account without the document
   * @param document its size with its name and metadata, and the field that the error names
   * @throws ServiceError VALIDATION_ERROR, `accountRows` or `accountQuota`; INTERNAL_ERROR
   */
  function refuseDocument(
    held: { readonly tier: Tier; readonly bytes: number; readonly documents: number },
    { bytes, field }: { readonly bytes: number; readonly field: string },
  ): void {
    disk?.refuseGrowth();
    const limits = limitsOf(held.tier);
    if (held.documents >= limits.documents)
      throw tooManyRows('documents', held.tier, limits.documents);
    if (held.bytes + bytes > limits.bytes) throw tooManyBytes(field, held.tier, limits.bytes);
  }

  /** Returns usage and limits, as the owner sees them. */
  async function usage(repositories: Repositories, userId: string): Promise<Shape<'AccountUsage'>> {
    const held = await find(repositories, userId);
    const limits = limitsOf(held.tier);
    const of = (kind: keyof AccountUsage) => ({ used: held[kind], limit: limits[kind] });
    return {
      bytes: of('bytes'),
      vaults: of('vaults'),
      documents: of('documents'),
      shares: of('shares'),
      consents: of('consents'),
      keys: of('keys'),
      webhooks: of('webhooks'),
      uploads: of('uploads'),
      clients: of('clients'),
    };
  }

  /**
   * Rejects a new upload before it reserves its bytes.
   *
   * @param held usage of the account without the upload
   * @throws ServiceError VALIDATION_ERROR, `accountRows` or `accountQuota`; INTERNAL_ERROR
   */
  function refuseUpload(
    held: { readonly tier: Tier; readonly bytes: number; readonly uploads: number },
    bytes: number,
  ): void {
    disk?.refuseGrowth();
    const limits = limitsOf(held.tier);
    if (held.uploads >= limits.uploads) throw tooManyRows('uploads', held.tier, limits.uploads);
    if (held.bytes + bytes > limits.bytes) throw tooManyBytes('sizeBytes', held.tier, limits.bytes);
  }

  /** @throws ServiceError INTERNAL_ERROR while the disk is nearly full */
  function refuseFullDisk(): void {
    disk?.refuseGrowth();
  }

  return { refuseExcess, refuseGrowth, refuseDocument, refuseUpload, refuseFullDisk, usage };
}

export type DiskSpace = ReturnType<typeof createDiskSpace>;

/** Milliseconds for which a reading is reused. */
const readingLifetime = 1_000;

/** Reserves free disk space for deletions and the store's own files. */
export function createDiskSpace({
  freeBytes,
  minimumBytes,
  now = () => performance.now(),
}: {
  /** Returns the bytes that can still be stored; throws when the disk cannot be read. */
  readonly freeBytes: () => number;
  /** Below this number of free bytes, growth is rejected. */
  readonly minimumBytes: number;
  /** Returns monotonic milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}) {
  let isLow = false;
  let readAt = Number.NEGATIVE_INFINITY;

  function read(): boolean {
    try {
      return freeBytes() < minimumBytes;
    } catch {
      // The health check reports this, and a store that cannot write fails anyway.
      return false;
    }
  }

  /** @throws ServiceError INTERNAL_ERROR while the disk is nearly full */
  function refuseGrowth(): void {
    const time = now();
    if (time - readAt >= readingLifetime) {
      readAt = time;
      isLow = read();
    }
    if (!isLow) return;
    throw new ServiceError('INTERNAL_ERROR', {
      message:
        'The disk of the server is nearly full: nothing more can be stored. ' +
        'Reading and deleting work. Ask the operator of the server to free space.',
    });
  }

  return { refuseGrowth };
}
