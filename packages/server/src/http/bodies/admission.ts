import { ServiceError } from '../../generated/rules/errors.ts';
import type { Clock } from '../../lib/clock.ts';

/** A body above this is large: an account may send a few at once. */
export const largeBytes = 1024 * 1024;

/** Large bodies of one account at once. */
const maxLargePerAccount = 4;

/** Bytes of smaller bodies of one account at once. */
const maxSmallBytesPerAccount = 16 * 1024 * 1024;

/** Bytes of bodies without credentials at once, from one address. */
const maxBytesPerAddress = 1024 * 1024;

/** Parts of the budget: large bodies, smaller ones, and those of the smaller ones without credentials. */
const largeShare = 3 / 4;
const smallShare = 1 / 4;
const anonymousShare = 1 / 8;

/** Part of the budget for bodies without credentials from one site, or the bytes of one address if these are more. */
const siteShare = anonymousShare / 4;

/** Milliseconds that a body waits unread for its turn. */
const maxWaitMs = 30_000;

/** Requests of one account that wait at once. */
const maxWaitingPerAccount = 32;

/** Seconds after which a rejected request may be sent again. */
const retryAfter = 1;

/** The account or address that a body is counted for. */
export interface MemoryHolder {
  readonly key: string;
  /** Whether it is an account. Otherwise it is an address, which has to send small bodies only. */
  readonly isAccount: boolean;
  /** The site of an address, which can have many addresses. */
  readonly site?: string;
}

/** Memory that a body may use. */
export interface MemoryGrant {
  /** Undefined: more memory is granted. Otherwise resolves when it is granted, or rejects with its error. */
  grow(bytes: number): Promise<void> | undefined;
  /** Gives the memory back. */
  release(): void;
}

interface Usage {
  smallBytes: number;
  largeBodies: number;
  waiting: number;
}

/** A body with what is reserved for it. */
interface Seat {
  readonly holder: MemoryHolder;
  bytes: number;
  /** Gives up a wait for more. */
  leave: () => void;
}

interface Waiter {
  readonly seat: Seat;
  readonly bytes: number;
  readonly grant: () => void;
}

const isLarge = (bytes: number) => bytes > largeBytes;

/**
 * Bounds the bytes of bodies that are in memory at once: by account, by address, and for the process.
 *
 * @param budget bytes for the process
 */
export function createAdmission(clock: Clock, budget: number) {
  const usages = new Map<string, Usage>();
  /** In the order of their arrival. */
  const waiters = new Set<Waiter>();
  const used = { large: 0, small: 0, anonymous: 0 };
  /** Bytes of bodies without credentials, by site. */
  const bySite = new Map<string, number>();
  const maxBytesPerSite = Math.max(maxBytesPerAddress, budget * siteShare);

  function usageOf({ key }: MemoryHolder): Usage {
    const usage = usages.get(key) ?? { smallBytes: 0, largeBodies: 0, waiting: 0 };
    usages.set(key, usage);
    return usage;
  }

  function forgetUnused({ key }: MemoryHolder): void {
    const { smallBytes, largeBodies, waiting } = usages.get(key) ?? {};
    if (!smallBytes && !largeBodies && !waiting) usages.delete(key);
  }

  /** Adds what a seat has reserved to the budgets, or takes it away. */
  function count({ holder, bytes }: Seat, sign: 1 | -1): void {
    if (bytes === 0) return;
    const usage = usageOf(holder);
    if (isLarge(bytes)) {
      used.large += sign * bytes;
      usage.largeBodies += sign;
    } else {
      used.small += sign * bytes;
      usage.smallBytes += sign * bytes;
      if (!holder.isAccount) used.anonymous += sign * bytes;
      if (holder.site !== undefined) countSite(holder.site, sign * bytes);
    }
  }

  function countSite(site: string, bytes: number): void {
    const total = (bySite.get(site) ?? 0) + bytes;
    if (total > 0) bySite.set(site, total);
    else bySite.delete(site);
  }

  /** One body always fits, however small the budget is. */
  function fitsProcess({ isAccount }: MemoryHolder, bytes: number): boolean {
    const fits = (usedBytes: number, share: number) =>
      usedBytes === 0 || usedBytes + bytes <= budget * share;
    if (isLarge(bytes)) return fits(used.large, largeShare);
    return fits(used.small, smallShare) && (isAccount || fits(used.anonymous, anonymousShare));
  }

  function fitsHolder({ key, isAccount, site = '' }: MemoryHolder, bytes: number): boolean {
    // Only granted and waiting bodies have an entry: rejected addresses must not fill the map.
    const { smallBytes = 0, largeBodies = 0 } = usages.get(key) ?? {};
    if (isLarge(bytes)) return largeBodies < maxLargePerAccount;
    if (isAccount) return smallBytes + bytes <= maxSmallBytesPerAccount;
    const ofSite = bySite.get(site) ?? 0;
    return smallBytes + bytes <= maxBytesPerAddress && ofSite + bytes <= maxBytesPerSite;
  }

  function tryToReserve(seat: Seat, bytes: number): boolean {
    const { holder } = seat;
    count(seat, -1);
    const fits = fitsHolder(holder, bytes) && fitsProcess(holder, bytes);
    if (fits) seat.bytes = bytes;
    count(seat, 1);
    return fits;
  }

  /** Admits the waiting bodies that fit now, in the order of their arrival. */
  function admitWaiters(): void {
    let isFull = false;
    for (const waiter of waiters) {
      const { seat, bytes } = waiter;
      if (isLarge(bytes) && isFull) continue;
      if (tryToReserve(seat, bytes)) waiter.grant();
      // Later large bodies would otherwise overtake this one for ever. A body that waits for its own
      // account holds up no others.
      else isFull ||= isLarge(bytes) && fitsHolder(seat.holder, bytes);
    }
  }

  function wait(seat: Seat, bytes: number): Promise<void> {
    const usage = usageOf(seat.holder);
    if (usage.waiting >= maxWaitingPerAccount) return Promise.reject(rejection(seat.holder));
    usage.waiting += 1;
    return new Promise((resolve, reject) => {
      const cancel = clock.at(clock.now() + maxWaitMs, () => {
        seat.leave();
        reject(rejection(seat.holder));
        // It may have held up a body behind it that fits.
        admitWaiters();
      });
      const waiter: Waiter = {
        seat,
        bytes,
        grant() {
          seat.leave();
          resolve();
        },
      };
      seat.leave = () => {
        seat.leave = () => undefined;
        cancel();
        waiters.delete(waiter);
        usage.waiting -= 1;
        forgetUnused(seat.holder);
      };
      waiters.add(waiter);
      admitWaiters();
    });
  }

  function reserve(seat: Seat, bytes: number): Promise<void> | undefined {
    if (bytes <= seat.bytes) return undefined;
    const mayOvertake = waiters.size === 0 || !isLarge(bytes);
    if (mayOvertake && tryToReserve(seat, bytes)) return undefined;
    return seat.holder.isAccount ? wait(seat, bytes) : Promise.reject(rejection(seat.holder));
  }

  function release(seat: Seat): void {
    seat.leave();
    count(seat, -1);
    seat.bytes = 0;
    forgetUnused(seat.holder);
    if (waiters.size > 0) admitWaiters();
  }

  return {
    /**
     * Reserves memory for a body. A body of an account waits for it, up to 30 s; one without account is
     * rejected at once.
     *
     * @returns a promise only when the body has to wait
     * @throws ServiceError RATE_LIMIT_EXCEEDED
     */
    admit(holder: MemoryHolder, bytes: number): MemoryGrant | Promise<MemoryGrant> {
      const seat: Seat = { holder, bytes: 0, leave: () => undefined };
      const memoryGrant: MemoryGrant = {
        grow: (more) => reserve(seat, more),
        release: () => release(seat),
      };
      return reserve(seat, bytes)?.then(() => memoryGrant) ?? memoryGrant;
    },
  };
}

function rejection({ isAccount }: MemoryHolder): ServiceError {
  const who = isAccount ? 'This account' : 'This address';
  const message = `${who}, or the whole server, receives too many request bodies at once. Send this one again later.`;
  return new ServiceError('RATE_LIMIT_EXCEEDED', { message, retryAfter });
}
