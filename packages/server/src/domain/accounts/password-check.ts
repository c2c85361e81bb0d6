import { ServiceError } from '../../generated/rules/errors.ts';
import { fold } from '../../lib/case-folding.ts';
import type { Clock } from '../../lib/clock.ts';
import { networkOf, siteOf } from '../../lib/networks.ts';
import type { FailureCharge } from '../../store/counters.ts';
import type { LoginPlaceRepository } from '../../store/rows/accounts/sessions.ts';
import type { Windows } from '../limits/windows.ts';
import { digest, type Passwords } from './secrets.ts';

/** An attempt with a password: for which account, and from which address. */
export interface PasswordAttempt {
  /** As typed. The result is the same for an unknown account. */
  readonly email: string;
  /** Null for an unknown account. */
  readonly userId: string | null;
  /** The stored hash; undefined for an unknown account. A new password has a new budget. */
  readonly passwordHash: string | undefined;
  /** Null for an attempt of the server itself. */
  readonly ipAddress: string | null;
}

/**
 * Compares a password with the hash of its account, unless too many earlier checks failed. Waits while the running
 * checks could exceed the limit.
 *
 * @throws ServiceError RATE_LIMIT_EXCEEDED, before the check
 */
export type CheckPassword = (attempt: PasswordAttempt, password: string) => Promise<boolean>;

const limits = {
  /** Ten wrong passwords at once, then one a minute: 1,440 guesses a day. */
  account: { failures: 10, recoveryMs: 60_000 },
  /** Many users can share one address, for example in an office. */
  address: { failures: 50, recoveryMs: 12_000 },
} as const;

/** Returns the budget of an address or of an account. */
function chargeOf(kind: keyof typeof limits, key: string): FailureCharge {
  return { key: `${kind} ${key}`, ...limits[kind] };
}

interface LoginCharges {
  readonly isKnown: boolean;
  /** The budgets that a failure is charged to. */
  readonly charges: readonly FailureCharge[];
}

/**
 * Counts failures per address and per account. A network from which the account has signed in has its own
 * budget, so that strangers cannot lock out a user. The store knows the networks of logins. Every check is charged
 * before it runs, and refunded unless it fails.
 */
export function createPasswordCheck({
  clock,
  store,
  windows,
  passwords,
}: {
  readonly clock: Clock;
  readonly store: { readonly loginPlaces: Pick<LoginPlaceRepository, 'isKnown'> };
  readonly windows: Pick<Windows, 'charge' | 'refund' | 'restore'>;
  readonly passwords: Pick<Passwords, 'verify'>;
}): CheckPassword {
  /** The number of running checks of this process by the key of their budgets. */
  const running = new Map<string, number>();
  let settled = Promise.withResolvers<void>();

  async function chargesOf(attempt: PasswordAttempt): Promise<LoginCharges> {
    const { userId, ipAddress } = attempt;
    const account = accountKey(attempt);
    if (ipAddress === null) return { isKnown: true, charges: [chargeOf('account', account)] };
    const network = networkOf(ipAddress);
    // The query runs for unknown accounts too, so that the time does not reveal them.
    const isKnown = await store.loginPlaces.isKnown(userId ?? '', network);
    const key = isKnown ? placeKey(account, network) : account;
    return { isKnown, charges: [chargeOf('address', network), chargeOf('account', key)] };
  }

  function noteRunning(charges: readonly FailureCharge[], by: 1 | -1): void {
    for (const { key } of charges) {
      const count = (running.get(key) ?? 0) + by;
      if (count > 0) running.set(key, count);
      else running.delete(key);
    }
  }

  /** Charges a check. Waits while the refunds of running checks could make room in the budget that has none. */
  async function begin(charges: readonly FailureCharge[]): Promise<void> {
    for (;;) {
      const nextEnd = settled.promise;
      const before = new Map(running);
      const full = await windows.charge(charges, clock.now());
      if (!full) return noteRunning(charges, 1);
      const { key, waitMs } = full;
      const { recoveryMs = 0 } = charges.find((charge) => charge.key === key) ?? {};
      const refundable = Math.max(before.get(key) ?? 0, running.get(key) ?? 0) * recoveryMs;
      if (waitMs > refundable) throw tooManyFailures(waitMs);
      await nextEnd;
    }
  }

  /** Restores the budgets of the account, and returns their keys. */
  async function noteSuccess(attempt: PasswordAttempt): Promise<readonly string[]> {
    const { ipAddress } = attempt;
    const account = accountKey(attempt);
    const place = ipAddress === null ? [] : [placeKey(account, networkOf(ipAddress))];
    const keys = [account, ...place].map((key) => chargeOf('account', key).key);
    await windows.restore(keys);
    return keys;
  }

  return async (attempt, password) => {
    const { isKnown, charges } = await chargesOf(attempt);
    await begin(charges);
    let refunded = charges;
    try {
      const { ipAddress, passwordHash } = attempt;
      const site = ipAddress === null ? null : siteOf(ipAddress);
      const matches = await passwords.verify(password, passwordHash, { isKnown, site });
      if (matches) {
        // What was restored is refunded already: a second time would pay for another check.
        const restored = await noteSuccess(attempt);
        refunded = charges.filter(({ key }) => !restored.includes(key));
      } else refunded = [];
      return matches;
    } finally {
      try {
        if (refunded.length > 0) await windows.refund(refunded);
      } finally {
        noteRunning(charges, -1);
        settled.resolve();
        settled = Promise.withResolvers();
      }
    }
  };
}

function tooManyFailures(waitMs: number): ServiceError {
  return new ServiceError('RATE_LIMIT_EXCEEDED', {
    message: 'Too many attempts with a wrong password. Wait before the next one.',
    retryAfter: Math.ceil(waitMs / 1000),
  });
}

/** Case-folded like the stored addresses, so that every notation of an address has one key. */
function accountKey({ email, passwordHash = '' }: PasswordAttempt): string {
  return digest(`${fold(email)} ${passwordHash}`).toString('base64');
}

function placeKey(account: string, network: string): string {
  return `${account} ${network}`;
}
