import { beyondQuota } from '../../generated/rules/limits.ts';
import type { QuotaUsageRecord } from '../../store/rows/accounts/usage.ts';
import type { VaultRecord } from '../../store/rows/documents/vaults.ts';
import type { Repositories } from '../../store/store.ts';
import { presentVault } from '../documents/vaults.ts';
import { accountOf } from '../events.ts';
import type { Tier } from '../shapes.ts';
import { type Emit, RejectedAndRecorded } from '../unit-of-work.ts';

export interface QuotasOptions {
  /** Bytes that a vault may hold, by the tier of its owner. */
  readonly vaultQuota: Readonly<Record<Tier, number>>;
}

/** The usage of a vault and its instance before a change, with their quotas. Read it before the change. */
export interface QuotaUsage extends QuotaUsageRecord {
  readonly vault: VaultRecord;
  readonly vaultQuotaBytes: number;
}

/** A change of documents and bytes in a vault; negative amounts subtract. */
export interface Change {
  readonly documents: number;
  readonly bytes: number;
  /** The field that the error about a quota names. Default `encryptedData`. */
  readonly field?: string;
}

export type Quotas = ReturnType<typeof createQuotas>;

/** Enforces the quotas of vaults and instances, and emits their warnings. */
export function createQuotas({ vaultQuota }: QuotasOptions) {
  /** @param vault read in this transaction */
  async function usage(tx: Repositories, vault: VaultRecord): Promise<QuotaUsage> {
    const found = await tx.usage.ofVault(vault.id);
    if (!found) throw new Error(`vault ${vault.id} has no owner or no instance`);
    return { ...found, vault, vaultQuotaBytes: vaultQuota[found.tier] };
  }

  /**
   * Rejects an upload above the quota of the vault or its instance. Call it before the first change,
   * because a RejectedAndRecorded keeps only events.
   *
   * @param upload its size, and the field that the error names
   * @throws ServiceError VALIDATION_ERROR for the instance quota, which emits no event
   */
  async function refuseUpload(
    emit: Emit,
    usage: QuotaUsage,
    { bytes, field }: { readonly bytes: number; readonly field: string },
  ): Promise<RejectedAndRecorded | undefined> {
    const { instanceUsedBytes, instanceQuotaBytes } = usage;
    if (heldBy(usage) + bytes > usage.vaultQuotaBytes) {
      return exceeded(emit, usage, field);
    }
    if (instanceUsedBytes + bytes > instanceQuotaBytes) {
      throw beyondQuota(field, 'instance', instanceQuotaBytes);
    }
    return undefined;
  }

  /** Rejects a move above the quota of the vault. The instance already counts the document's bytes. */
  async function refuseMove(
    emit: Emit,
    usage: QuotaUsage,
    bytes: number,
  ): Promise<RejectedAndRecorded | undefined> {
    const isBeyond = heldBy(usage) + bytes > usage.vaultQuotaBytes;
    return isBeyond ? exceeded(emit, usage, 'vaultId') : undefined;
  }

  /** Updates the usage of the instance after a change of documents, and warns near the quotas. */
  async function count(
    tx: Repositories,
    emit: Emit,
    usage: QuotaUsage,
    change: Change,
  ): Promise<void> {
    await warnVault(tx, emit, usage, change);
    const { instanceId, instanceWarned, instanceQuotaBytes: quotaBytes } = usage;
    const most = change.bytes > 0 ? quotaBytes : undefined;
    if (!(await tx.instances.use(instanceId, change.bytes, most))) {
      throw beyondQuota(change.field ?? 'encryptedData', 'instance', quotaBytes);
    }
    const usedBytes = usage.instanceUsedBytes + change.bytes;
    if (change.documents <= 0 || instanceWarned || !nearsQuota(usedBytes, quotaBytes)) return;
    if (!(await tx.usage.setInstanceWarned(instanceId))) return;
    await emit({
      type: 'instance.quota.warning',
      accountId: null,
      instanceId,
      object: { instanceId, ...usageOf(usedBytes, quotaBytes) },
    });
  }

  return { usage, refuseUpload, refuseMove, count, warnVault };
}

/** Bytes of a vault with those that open uploads have reserved. */
function heldBy({ vault, reservedBytes }: QuotaUsage): number {
  return vault.totalSize + reservedBytes;
}

/** Warns near the quota of a vault, or resets its warning. The store counts the documents itself. */
async function warnVault(
  tx: Repositories,
  emit: Emit,
  { vault, vaultQuotaBytes: quotaBytes, vaultWarned }: QuotaUsage,
  { documents, bytes }: Change,
): Promise<void> {
  const usedBytes = vault.totalSize + bytes;
  const isNear = nearsQuota(usedBytes, quotaBytes);
  // A mark from before a higher tier or quota is outdated.
  const isWarned = vaultWarned && nearsQuota(vault.totalSize, quotaBytes);
  const warns = documents > 0 && isNear && !isWarned;
  const noteAfter = warns || (isNear && isWarned);
  if (noteAfter !== vaultWarned) await tx.usage.setVaultWarned(vault.id, noteAfter);
  if (!warns) return;
  const after = {
    ...vault,
    documentCount: vault.documentCount + documents,
    totalSize: usedBytes,
  };
  const object = { ...presentVault(after), usage: usageOf(usedBytes, quotaBytes) };
  await emit({ type: 'vault.quota.warning', ...accountOf(vault), object });
}

/** Emits the event of a rejected document, with the usage without it. */
async function exceeded(
  emit: Emit,
  { vault, vaultQuotaBytes }: QuotaUsage,
  field: string,
): Promise<RejectedAndRecorded> {
  const object = { ...presentVault(vault), usage: usageOf(vault.totalSize, vaultQuotaBytes) };
  await emit({ type: 'vault.quota.exceeded', ...accountOf(vault), object });
  return new RejectedAndRecorded(beyondQuota(field, 'vault', vaultQuotaBytes));
}

/** Whether 80 % are reached. BigInt keeps large numbers exact. */
function nearsQuota(usedBytes: number, quotaBytes: number): boolean {
  return BigInt(usedBytes) * 5n >= BigInt(quotaBytes) * 4n;
}

/** The usage as events show it. The percentage is rounded down to two decimals. */
function usageOf(usedBytes: number, quotaBytes: number) {
  const percentage = Number((BigInt(usedBytes) * 10_000n) / BigInt(quotaBytes)) / 100;
  return { usedBytes, quotaBytes, percentage };
}
