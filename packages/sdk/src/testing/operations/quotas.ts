import type { Instance, Vault } from '../../generated/types.ts';
import { violation } from '../failure.ts';
import type { World } from '../world.ts';

const mebibyte = 1024 ** 2;

/** Bytes that a vault may hold, by the tier of its owner. */
const vaultQuotas = { free: 100 * mebibyte, paid: 10 * 1024 * mebibyte, enterprise: 1024 ** 4 };

/** Bytes that an instance may hold, unless it says otherwise: 10 TiB. */
export const instanceQuota = 10 * 1024 ** 4;

interface Addition {
  readonly bytes: number;
  /** What the refusal names. */
  readonly field: 'encryptedData' | 'vaultId';
}

/** The instance that a vault stands in. */
export function instanceOf({ tables }: World, { instanceId }: Vault): Instance {
  const instance = tables.instances.get(instanceId);
  if (!instance) throw new Error('A vault has no instance');
  return instance;
}

/**
 * Refuses what would take a vault past its quota, or its instance, which holds what is moved already.
 *
 * @throws Failure VALIDATION_ERROR
 */
export function refuseBeyondQuota(world: World, vault: Vault, { bytes, field }: Addition): void {
  const quota = vaultQuotas[world.tables.users.get(vault.userId)?.tier ?? 'free'];
  if (vault.totalSize + bytes > quota) throw refusal(field, 'vault', quota);
  const { usedBytes, quotaBytes } = instanceOf(world, vault);
  if (field === 'encryptedData' && usedBytes + bytes > quotaBytes) {
    throw refusal(field, 'instance', quotaBytes);
  }
}

function refusal(field: string, holder: 'vault' | 'instance', quota: number) {
  const message = `The ${holder} would hold more than its quota of ${quota} bytes.`;
  return violation(field, `${holder}Quota`, message);
}
