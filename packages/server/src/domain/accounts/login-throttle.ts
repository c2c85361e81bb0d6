import ipaddr from 'ipaddr.js';
import { fold } from '../../case-folding.ts';
import type { Clock } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import type { SharedCounters } from '../../store/counters.ts';
import type { LoginPlaceRepository } from '../../store/repositories/sessions.ts';
import { digest, type PasswordPlace, type Passwords } from './secrets.ts';

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

export interface LoginThrottle {
  /**
   * Checks a password unless too many earlier checks failed. Waits while the running checks could exceed
   * the limit.
   *
   * @param check receives whether the account has signed in from this network before, and the site of the client
   * @throws ServiceError RATE_LIMIT_EXCEEDED, before the check
   */
  guard(
    attempt: PasswordAttempt,
    check: (place: PasswordPlace) => Promise<boolean>,
  ): Promise<boolean>;
  /** Clears all counted failures. */
  clear(): void;
}

/**
 * Compares a password with the hash of its account. Failures count in the login throttle.
 *
 * @throws ServiceError RATE_LIMIT_EXCEEDED
 */
export function checkPassword(
  {
    loginThrottle,
    passwords,
  }: { readonly loginThrottle: LoginThrottle; readonly passwords: Passwords },
  attempt: PasswordAttempt,
  password: string,
): Promise<boolean> {
  return loginThrottle.guard(attempt, (place) =>
    passwords.verify(password, attempt.passwordHash, place),
  );
}

/** The budgets of failures of one process, or of several with one database. */
interface FailureBudgets {
  /**
   * Charges a possible failure to all budgets, or to none.
   *
   * @returns milliseconds to wait; 0 when it is charged; `busy` when running checks decide
   */
  begin(charges: readonly Charge[]): Promise<number | 'busy'>;
  end(charges: readonly Charge[], outcome: 'failed' | 'other'): Promise<void>;
  /** Resets the failures of an account. */
  restore(keys: readonly string[]): Promise<void>;
  clear(): void;
}

const limits = {
  /** Ten wrong passwords at once, then one a minute: 1,440 guesses a day. */
  account: { failures: 10, recoveryMs: 60_000 },
  /** Many users can share one address, for example in an office. */
  address: { failures: 50, recoveryMs: 12_000 },
} as const;

/**
 * Maximum number of keys per kind. Each failure costs an argon2 hash, so more keys than this do not occur
 * within the ten minutes that a budget needs to recover.
 */
const capacity = 100_000;

interface Charge {
  readonly kind: 'address' | 'account';
  readonly key: string;
}

interface LoginCharges {
  readonly isKnown: boolean;
  /** The budgets that a failure is charged to. */
  readonly charges: readonly Charge[];
}

/**
 * Counts failures per address and per account. A network from which the account has signed in has its own
 * budget, so that strangers cannot lock out a user. The store knows the networks of logins.
 *
 * @param counters the counters that processes share. Default: failures are counted in memory
 */
export function createLoginThrottle(
  clock: Clock,
  places: Pick<LoginPlaceRepository, 'isKnown'>,
  counters?: SharedCounters,
): LoginThrottle {
  const budgets = counters ? sharedBudgets(clock, counters) : memoryBudgets(clock);
  let settled = Promise.withResolvers<void>();

  async function chargesOf(attempt: PasswordAttempt): Promise<LoginCharges> {
    const { userId, ipAddress } = attempt;
    const account = accountKey(attempt);
    if (ipAddress === null) return { isKnown: true, charges: [{ kind: 'account', key: account }] };
    const network = networkOf(ipAddress);
    // The query runs for unknown accounts too, so that the time does not reveal them.
    const isKnown = await places.isKnown(userId ?? '', network);
    const key = isKnown ? placeKey(account, network) : account;
    return {
      isKnown,
      charges: [
        { kind: 'address', key: network },
        { kind: 'account', key },
      ],
    };
  }

  /** Waits for room. */
  async function begin(charges: readonly Charge[]): Promise<void> {
    for (;;) {
      const nextEnd = settled.promise;
      const wait = await budgets.begin(charges);
      if (wait === 0) return;
      if (wait !== 'busy') throw tooManyFailures(wait);
      await nextEnd;
    }
  }

  async function noteSuccess(attempt: PasswordAttempt): Promise<void> {
    const { ipAddress } = attempt;
    const account = accountKey(attempt);
    const place = ipAddress === null ? [] : [placeKey(account, networkOf(ipAddress))];
    await budgets.restore([account, ...place]);
  }

  return {
    async guard(attempt, check) {
      const { isKnown, charges } = await chargesOf(attempt);
      await begin(charges);
      let outcome: 'failed' | 'other' = 'other';
      try {
        const { ipAddress } = attempt;
        const site = ipAddress === null ? null : siteOf(ipAddress);
        const matches = await check({ isKnown, site });
        if (matches) await noteSuccess(attempt);
        else outcome = 'failed';
        return matches;
      } finally {
        await budgets.end(charges, outcome);
        settled.resolve();
        settled = Promise.withResolvers();
      }
    },

    clear: () => budgets.clear(),
  };
}

function memoryBudgets(clock: Clock): FailureBudgets {
  const budgets = {
    address: createFailureBudget({ clock, ...limits.address, capacity }),
    account: createFailureBudget({ clock, ...limits.account, capacity }),
  };
  return {
    async begin(charges) {
      const wait = Math.max(...charges.map(({ kind, key }) => budgets[kind].wait(key)));
      if (wait > 0) return wait;
      if (charges.some(({ kind, key }) => budgets[kind].isCommitted(key))) return 'busy';
      for (const { kind, key } of charges) budgets[kind].begin(key);
      return 0;
    },

    async end(charges, outcome) {
      for (const { kind, key } of charges) budgets[kind].end(key, outcome);
    },

    async restore(keys) {
      for (const key of keys) budgets.account.restore(key);
    },

    clear() {
      budgets.address.clear();
      budgets.account.clear();
    },
  };
}

/** Every check is charged before it runs, and refunded unless it fails. */
function sharedBudgets(clock: Clock, counters: SharedCounters): FailureBudgets {
  /** The running checks of this process. */
  const running = new Map<string, number>();
  const toShared = ({ kind, key }: Charge) => ({ key: `${kind} ${key}`, ...limits[kind] });

  function note(charges: readonly Charge[], by: 1 | -1): void {
    for (const { key } of charges) {
      const count = (running.get(key) ?? 0) + by;
      if (count > 0) running.set(key, count);
      else running.delete(key);
    }
  }

  return {
    async begin(charges) {
      const isShared = charges.some(({ key }) => running.has(key));
      const wait = await counters.charge(charges.map(toShared), clock.now());
      if (wait === 0) note(charges, 1);
      return wait > 0 && isShared ? 'busy' : wait;
    },

    async end(charges, outcome) {
      note(charges, -1);
      if (outcome === 'other') await counters.refund(charges.map(toShared));
    },

    restore: (keys) => counters.restore(keys.map((key) => toShared({ kind: 'account', key }).key)),

    // The table is cleared with the other counters.
    clear: () => undefined,
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

/** Limits failures per key, in memory. */
export interface FailureBudget {
  /** Milliseconds until this key may try again; 0 for now. */
  wait(key: string): number;
  /** Whether the running attempts could use up the budget. */
  isCommitted(key: string): boolean;
  begin(key: string): void;
  end(key: string, outcome: 'failed' | 'other'): void;
  /** Resets the budget of a key. */
  restore(key: string): void;
  /** Resets all budgets. */
  clear(): void;
  /** Number of stored keys. */
  readonly size: number;
}

export interface FailureBudgetOptions {
  readonly clock: Clock;
  /** Number of failures that are allowed at once. */
  readonly failures: number;
  /** Milliseconds until one more failure is allowed. */
  readonly recoveryMs: number;
  /** Maximum number of keys. Beyond it, the key with the oldest failure is dropped. */
  readonly capacity: number;
}

interface Spent {
  /** Failures that are not recovered yet, at the time `at`. */
  readonly level: number;
  readonly at: number;
}

/** A leaky bucket per key: each failure adds one drop, and it leaks at a constant rate. */
export function createFailureBudget(options: FailureBudgetOptions): FailureBudget {
  const { clock, failures, recoveryMs, capacity } = options;
  /** Ordered by their last failure. */
  const spent = new Map<string, Spent>();
  const running = new Map<string, number>();

  function levelOf(entry: Spent | undefined): number {
    if (!entry) return 0;
    // A clock that is set back adds nothing.
    const elapsed = Math.max(0, clock.now() - entry.at);
    return Math.max(0, entry.level - elapsed / recoveryMs);
  }

  function note(key: string): void {
    const level = levelOf(spent.get(key)) + 1;
    spent.delete(key);
    spent.set(key, { level, at: clock.now() });
    for (const [oldest, entry] of spent) {
      if (spent.size <= capacity && levelOf(entry) > 0) break;
      spent.delete(oldest);
    }
  }

  return {
    wait: (key) => Math.max(0, Math.ceil((levelOf(spent.get(key)) + 1 - failures) * recoveryMs)),

    isCommitted: (key) => levelOf(spent.get(key)) + (running.get(key) ?? 0) + 1 > failures,

    begin(key) {
      running.set(key, (running.get(key) ?? 0) + 1);
    },

    end(key, outcome) {
      const left = (running.get(key) ?? 0) - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
      if (outcome === 'failed') note(key);
    },

    restore(key) {
      spent.delete(key);
    },

    clear: () => spent.clear(),

    get size() {
      return spent.size;
    },
  };
}

/**
 * Returns the network of a client: an IPv4 address, or the /64 network of an IPv6 address, because one
 * subscriber has all its addresses (RFC 6177).
 */
export function networkOf(address: string): string {
  return networkOfBits(address, 64);
}

/**
 * Returns the site of a client: an IPv4 address, or the /48 network of an IPv6 address. One site can have 65,536
 * networks (RFC 6177), so what all clients share is divided by sites.
 */
export function siteOf(address: string): string {
  return networkOfBits(address, 48);
}

function networkOfBits(address: string, bits: 48 | 64): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, bits / 16);
  return `${parts.map((part) => part.toString(16)).join(':')}::/${bits}`;
}
