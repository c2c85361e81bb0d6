import { requireSession } from '../../generated/rules/credentials.ts';
import { notFound } from '../../generated/rules/errors.ts';
import { requireKeyring, requireNextKeyring } from '../../generated/rules/keys.ts';
import type { KeyringRecord } from '../../store/rows/accounts/keyrings.ts';
import type { Actor } from '../actor.ts';
import type { Shape } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { findCaller, type Prove, requireProof } from './proof.ts';
import { ownAccount, presentUser } from './users.ts';

export interface KeyringOptions extends Omit<ServiceOptions, 'ids'> {
  readonly prove: Prove;
}

export type Keyring = ReturnType<typeof createKeyring>;

/** The keyring of the calling account, which no other account reads or writes. */
export function createKeyring({ store, work, clock, accountLimits, prove }: KeyringOptions) {
  /** @throws ServiceError NOT_FOUND */
  async function get({ userId }: Actor): Promise<Shape<'Keyring'>> {
    const keyring = await store.keyrings.find(userId);
    if (!keyring) throw notFound('keyring', { userId });
    return presentKeyring(keyring);
  }

  /**
   * Stores the first keyring or replaces the present one. With another public key, the keys of all vaults are lost.
   *
   * @throws ServiceError VALIDATION_ERROR; INSUFFICIENT_PERMISSIONS without a session, except for the first keyring;
   *   RATE_LIMIT_EXCEEDED after too many wrong passwords
   */
  async function update(actor: Actor, input: Shape<'UpdateKeyring'>): Promise<Shape<'Keyring'>> {
    const { currentPassword, version, publicKey, privateKey, unlockers } = input;
    if (version > 1) requireSession(actor);
    requireKeyring(input);
    const proven =
      currentPassword === undefined
        ? undefined
        : await prove(actor, 'currentPassword', currentPassword);

    return work(actor, async (tx, emit) => {
      const user = await findCaller(tx, actor);
      if (proven !== undefined) requireProof(user, proven, 'currentPassword');
      const present = await tx.keyrings.find(user.id);
      const losesVaultKeys = requireNextKeyring(input, present);
      const keyring = { userId: user.id, version, publicKey, privateKey, unlockers };
      const store = async () => {
        await (present ? tx.keyrings.save(keyring) : tx.keyrings.insert(keyring));
        if (losesVaultKeys) await tx.vaultKeys.loseAll(user.id);
      };
      await accountLimits.refuseGrowth(tx, user.id, store, { storesEvent: true });

      const after = { ...user, updatedAt: clock.now() };
      await tx.users.save(after);
      await emit({
        type: 'user.updated',
        ...ownAccount(after),
        object: presentUser(after),
        changes: ['keyring'],
        previous: { keyring: present?.version ?? null },
      });
      return presentKeyring(keyring);
    });
  }

  return { get, update };
}

function presentKeyring(keyring: KeyringRecord): Shape<'Keyring'> {
  const { userId, version, publicKey, privateKey } = keyring;
  // Validated when it was stored.
  const unlockers = keyring.unlockers as Shape<'Unlocker'>[];
  return { userId, version, publicKey, privateKey, unlockers };
}
