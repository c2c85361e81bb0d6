import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { fold } from '../../case-folding.ts';
import type { Clock } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import type { LoginPlaceRepository } from '../../store/repositories/sessions.ts';
import { digest } from './secrets.ts';

/** Whose password is tried, and from where. */
export interface PasswordAttempt {
  /** As it was typed; whether there is such an account makes no difference. */
  readonly email: string;
  /** null: there is no such account. */
  readonly userId: string | null;
  /** null: from the server itself. */
  readonly ipAddress: string | null;
}

export interface LoginThrottle {
  /**
   * Runs a check of a password, unless too many before it have failed. What runs at the same time
   * waits where its failures together would be too many.
   * @param check gets whether the account has signed in from there before
   * @throws ServiceError RATE_LIMIT_EXCEEDED, before the check
   */
  guard(
    attempt: PasswordAttempt,
    check: (place: { readonly isKnown: boolean }) => Promise<boolean>,
  ): Promise<boolean>;
  /** Forgets who has failed. */
  clear(): void;
}

/** Ten wrong passwords at once, then one a minute: 1,440 guesses a day. */
const perAccount = { failures: 10, recoveryMs: 60_000 };
/** An address can stand for a whole office. */
const perAddress = { failures: 50, recoveryMs: 12_000 };

/**
 * Keys to remember, of each kind. A failure costs an argon2 hash, so that more of them than this do
 * not come up within the ten minutes in which a budget recovers.
 */
const capacity = 100_000;

interface Charge {
  readonly budget: FailureBudget;
  readonly key: string;
}

interface Standing {
  readonly isKnown: boolean;
  /** What a failure counts against. */
  readonly charges: readonly Charge[];
}

/**
 * Failures count against the address and against the account. An address from which the account has
 * signed in counts apart, so that strangers do not lock a user out. Failures are counted in memory;
 * the store remembers the addresses of logins.
 */
export function createLoginThrottle(
  clock: Clock,
  places: Pick<LoginPlaceRepository, 'isKnown'>,
): LoginThrottle {
  const addresses = createFailureBudget({ clock, ...perAddress, capacity });
  const accounts = createFailureBudget({ clock, ...perAccount, capacity });
  let settled = Promise.withResolvers<void>();

  async function standingOf({ email, userId, ipAddress }: PasswordAttempt): Promise<Standing> {
    const account = accountKey(email);
    if (ipAddress === null) return { isKnown: true, charges: [{ budget: accounts, key: account }] };
    const network = networkOf(ipAddress);
    // The query runs for unknown accounts too, so that the time does not reveal them.
    const isKnown = await places.isKnown(userId ?? '', network);
    const charges = [
      { budget: addresses, key: network },
      { budget: accounts, key: isKnown ? placeKey(account, network) : account },
    ];
    return { isKnown, charges };
  }

  /** Waits for room. Between the last look and the beginning nothing else happens. */
  async function begin(charges: readonly Charge[]): Promise<void> {
    for (;;) {
      const wait = Math.max(...charges.map(({ budget, key }) => budget.wait(key)));
      if (wait > 0) throw tooManyFailures(wait);
      if (!charges.some(({ budget, key }) => budget.isCommitted(key))) break;
      await settled.promise;
    }
    for (const { budget, key } of charges) budget.begin(key);
  }

  function noteSuccess({ email, ipAddress }: PasswordAttempt): void {
    const account = accountKey(email);
    accounts.restore(account);
    if (ipAddress === null) return;
    accounts.restore(placeKey(account, networkOf(ipAddress)));
  }

  return {
    async guard(attempt, check) {
      const { isKnown, charges } = await standingOf(attempt);
      await begin(charges);
      let outcome: 'failed' | 'other' = 'other';
      try {
        const matches = await check({ isKnown });
        if (matches) noteSuccess(attempt);
        else outcome = 'failed';
        return matches;
      } finally {
        for (const { budget, key } of charges) budget.end(key, outcome);
        settled.resolve();
        settled = Promise.withResolvers();
      }
    },

    clear() {
      addresses.clear();
      accounts.clear();
    },
  };
}

function tooManyFailures(waitMs: number): ServiceError {
  return new ServiceError('RATE_LIMIT_EXCEEDED', {
    message: 'Too many attempts with a wrong password. Wait before the next one.',
    retryAfter: Math.ceil(waitMs / 1000),
  });
}

/** Folded as the store folds addresses, so that every spelling that finds an account is one key. */
function accountKey(email: string): string {
  return digest(fold(email)).toString('base64');
}

function placeKey(account: string, network: string): string {
  return `${account} ${network}`;
}

/** How often something may fail per key, in memory. */
export interface FailureBudget {
  /** Milliseconds until this key may try again; 0 when it may now. */
  wait(key: string): number;
  /** Whether tries that run already would use up what is left, should they fail. */
  isCommitted(key: string): boolean;
  begin(key: string): void;
  end(key: string, outcome: 'failed' | 'other'): void;
  /** Gives the key its whole budget back. */
  restore(key: string): void;
  /** Gives every key its whole budget back. */
  clear(): void;
  /** How many keys are remembered. */
  readonly size: number;
}

export interface FailureBudgetOptions {
  readonly clock: Clock;
  /** How many failures may follow each other at once. */
  readonly failures: number;
  /** Milliseconds after which one more may happen. */
  readonly recoveryMs: number;
  /** The most keys to remember; beyond it, the one that failed longest ago is forgotten. */
  readonly capacity: number;
}

interface Spent {
  /** Failures that are not made up for yet, at `at`. */
  readonly level: number;
  readonly at: number;
}

/** A bucket per key that fills by a drop at each failure and leaks at a constant rate. */
export function createFailureBudget(options: FailureBudgetOptions): FailureBudget {
  const { clock, failures, recoveryMs, capacity } = options;
  /** In the order of their last failure. */
  const spent = new Map<string, Spent>();
  const running = new Map<string, number>();

  function levelOf(entry: Spent | undefined): number {
    if (!entry) return 0;
    // A clock that is set back does not make anything worse.
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
 * Whom an address stands for: an IPv4 address for itself, an IPv6 address for its network of 64 bits,
 * since one subscriber has all of those (RFC 6177).
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
}
