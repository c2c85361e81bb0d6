import { isIP } from 'node:net';
import type { Clock } from '../lib/clock.ts';
import type { MadeAttempt } from './attempt.ts';
import { HostLimit, HostPause, type LimitOptions } from './host-limit.ts';
import type { Resolve } from './targets.ts';

export interface HostsOptions extends LimitOptions {
  readonly clock: Clock;
  /** Maximum concurrent attempts to all hosts together that have not acknowledged any. */
  readonly newConcurrencyOfAll: number;
  readonly resolve: Resolve;
  /** Called for a waiting webhook once its host has room. */
  readonly onRoom: (webhookId: string) => void;
}

/** The URL and the account of a webhook. */
export interface Receiver {
  readonly url: string;
  readonly userId: string;
}

/** The permission for one attempt. */
export interface Permit {
  readonly host: Host;
  readonly account: HostAccount;
  readonly address: Address | undefined;
  /** Whether the host had not acknowledged any attempt. */
  readonly isNew: boolean;
  readonly round: number;
}

/** The parts of a result that matter to the host. */
export type HostOutcome = Pick<MadeAttempt, 'error' | 'statusCode' | 'retryAfterMs'>;

/** Maximum number of remembered hosts, of addresses, and of accounts per host. */
const maxRemembered = 10_000;
/** Milliseconds for which the address of a name is cached. */
const addressLifetimeMs = 60_000;

/** An address with its port. All names of the address share it. */
class Address extends HostLimit {
  /** Hosts with waiting webhooks that may wait for this address. */
  readonly waiting = new Set<Host>();

  get isUnused(): boolean {
    return this.isIdle && this.waiting.size === 0;
  }
}

/**
 * An account at a host. Failures pause it alone: on a host with many customers, an account could otherwise
 * stop the deliveries of others by a URL of its own that fails.
 */
class HostAccount {
  readonly pause: HostPause;
  /** Waiting webhooks, in order. */
  readonly waiting = new Set<string>();
  /** Running attempts and reserved places. */
  attempts = 0;
  readonly #max: number;
  #window: number;

  constructor(options: LimitOptions) {
    this.pause = new HostPause(options);
    this.#max = options.concurrency;
    this.#window = options.concurrency;
  }

  get isUnused(): boolean {
    return this.attempts === 0 && this.waiting.size === 0;
  }

  mayStart(now: number): boolean {
    return this.attempts < this.#window && this.pause.until <= now;
  }

  /** Each acknowledgement allows one more concurrent attempt. */
  acknowledge(): void {
    this.#window = Math.min(this.#max, this.#window + 1);
  }

  /** Allows one attempt at a time until one is acknowledged. */
  probe(): void {
    this.#window = 1;
  }
}

/** A host name with its port, shared by all webhooks of all accounts. */
class Host extends HostLimit {
  readonly name: string;
  readonly port: string;
  /** By account id; the least recently used first. */
  readonly accounts = new Map<string, HostAccount>();
  address: Address | undefined;
  /** When the address is resolved again, in milliseconds of `performance.now()`. */
  lookUpAt = 0;
  isLookingUp = false;
  /** Accounts with waiting webhooks, in round-robin order. */
  readonly waiting = new Set<HostAccount>();
  cancelAlarm: () => void = () => undefined;

  constructor({ hostname, port, protocol }: URL, options: HostsOptions) {
    super(options, options.clock.now());
    this.name = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    this.port = port === '' ? protocol : port;
  }

  get isUnused(): boolean {
    return this.isIdle && this.waiting.size === 0 && !this.isLookingUp;
  }
}

/**
 * Limits the attempts to one host by all webhooks of all accounts together. A refused webhook waits: its
 * deliveries stay in the queue, and `onRoom` is called when the host has room.
 */
export class Hosts {
  readonly #options: HostsOptions;
  /** By origin; the least recently used first. */
  readonly #hosts = new Map<string, Host>();
  readonly #addresses = new Map<string, Address>();
  /** Ids of the waiting webhooks. */
  readonly #waiting = new Set<string>();
  /** Places that are reserved for webhooks which have waited. */
  readonly #reservations = new Map<string, Omit<Permit, 'round'>>();
  /** Running attempts and reserved places at hosts that had not acknowledged any. */
  #newAttempts = 0;
  /** New hosts with waiting webhooks that wait for other new hosts, in order. */
  readonly #delayed = new Set<Host>();
  #lookups = 0;
  #closed = false;

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /** Whether a name is being resolved. */
  get isLookingUp(): boolean {
    return this.#lookups > 0;
  }

  isWaiting(webhookId: string): boolean {
    return this.#waiting.has(webhookId);
  }

  /** Whether a place at its host is reserved for a webhook, and it has not started an attempt since. */
  hasReservation(webhookId: string): boolean {
    return this.#reservations.has(webhookId);
  }

  /** Whether a URL has the host of a permit. */
  leadsTo(url: string, { host }: Permit): boolean {
    return this.#hostOf(url) === host;
  }

  /** Returns the permission for one attempt, or undefined when the webhook has to wait. */
  enter(webhookId: string, { url, userId }: Receiver): Permit | undefined {
    const host = this.#hostOf(url);
    const account = this.#accountOf(host, userId);
    const hadReservation = this.#cancelReservation(webhookId);
    const now = this.#options.clock.now();
    // Waiting webhooks come first.
    if (!hadReservation && host.waiting.size > 0) this.#reserve(host);
    if (!account.mayStart(now) || this.#roomOf(host, now) < 1) {
      account.waiting.add(webhookId);
      host.waiting.add(account);
      this.#waiting.add(webhookId);
      host.address?.waiting.add(host);
      if (hadReservation) this.#reserveFreed({ host, address: host.address });
      else this.#reserve(host);
      return undefined;
    }
    const { address, isNew } = host;
    host.start(now);
    account.attempts += 1;
    address?.start(now);
    if (isNew) this.#newAttempts += 1;
    return { host, account, address, isNew, round: account.pause.round };
  }

  /** Ends an attempt. @param outcome undefined when the attempt was not made */
  leave(permit: Permit, outcome: HostOutcome | undefined): void {
    const { host, account, address, isNew, round } = permit;
    host.running -= 1;
    account.attempts -= 1;
    if (address) address.running -= 1;
    if (isNew) this.#newAttempts -= 1;
    if (outcome?.error === null) {
      host.acknowledge();
      account.acknowledge();
      address?.acknowledge();
    }
    if (outcome) this.#notePause(account, round, outcome);
    this.#reserveFreed(permit);
  }

  /** Gives a reservation back: the webhook has no due delivery. */
  returnReservation(webhookId: string): void {
    const kept = this.#reservations.get(webhookId);
    if (kept && this.#cancelReservation(webhookId)) this.#reserveFreed(kept);
  }

  close(): void {
    this.#closed = true;
    for (const host of this.#hosts.values()) host.cancelAlarm();
  }

  #notePause(account: HostAccount, round: number, { statusCode, retryAfterMs }: HostOutcome): void {
    const hasFailed = statusCode === null || statusCode >= 500 || statusCode === 429;
    if (!hasFailed) account.pause.succeed();
    else if (account.pause.fail({ round, retryAfterMs }, this.#now())) {
      account.probe();
    }
  }

  #now(): number {
    return this.#options.clock.now();
  }

  /** Frees the reserved place. Returns whether there was one. */
  #cancelReservation(webhookId: string): boolean {
    const kept = this.#reservations.get(webhookId);
    if (!kept) return false;
    this.#reservations.delete(webhookId);
    kept.host.reserved -= 1;
    kept.account.attempts -= 1;
    if (kept.address) kept.address.reserved -= 1;
    if (kept.isNew) this.#newAttempts -= 1;
    return true;
  }

  #roomOf(host: Host, now: number): number {
    this.#keepAddress(host);
    if (host.isLookingUp || this.#isDelayed(host) || this.#readyAt(host, now) > now) return 0;
    return Math.min(host.room, host.address?.room ?? Number.POSITIVE_INFINITY);
  }

  /** Whether all attempts that new hosts get together are in use. Hosts that hang leave room for others. */
  #isDelayed({ isNew }: Host): boolean {
    return isNew && this.#newAttempts >= this.#options.newConcurrencyOfAll;
  }

  #readyAt(host: Host, now: number): number {
    return Math.max(host.readyAt(now), host.address?.readyAt(now) ?? 0);
  }

  /**
   * Reserves the place of an ended attempt or of a cancelled reservation: for the other hosts of the address,
   * which attempts of this host kept waiting, for delayed hosts, and for this host.
   */
  #reserveFreed({ host, address }: Pick<Permit, 'host' | 'address'>): void {
    // A copy, because a reservation reorders the set.
    for (const other of [...(address?.waiting ?? [])]) {
      // Otherwise each end of an attempt would visit thousands of names at one address.
      if (address === undefined || address.room < 1) break;
      if (other !== host) this.#reserve(other);
    }
    if (host.isNew && host.waiting.size > 0) this.#delayed.add(host);
    else this.#reserve(host);
    // A host is only delayed again when the places are in use, so the loop ends.
    for (const delayed of this.#delayed) {
      if (this.#isDelayed(delayed)) break;
      this.#delayed.delete(delayed);
      this.#reserve(delayed);
    }
  }

  /**
   * Reserves places for as many waiting webhooks as there is room for, account by account. Sets an alarm when
   * the next room only depends on time.
   */
  #reserve(host: Host): void {
    if (this.#closed) return;
    const { address } = host;
    const now = this.#now();
    for (const account of host.waiting) {
      if (this.#roomOf(host, now) < 1) break;
      const [webhookId] = account.waiting;
      if (webhookId === undefined || !account.mayStart(now)) continue;
      account.waiting.delete(webhookId);
      // The loop visits this account again after the others.
      host.waiting.delete(account);
      if (account.waiting.size > 0) host.waiting.add(account);
      this.#waiting.delete(webhookId);
      const { isNew } = host;
      this.#reservations.set(webhookId, { host, account, address, isNew });
      host.reserved += 1;
      if (isNew) this.#newAttempts += 1;
      account.attempts += 1;
      if (address) {
        address.reserved += 1;
        // The other hosts of the address come first next time.
        address.waiting.delete(host);
        address.waiting.add(host);
      }
      this.#options.onRoom(webhookId);
    }
    host.cancelAlarm();
    if (host.waiting.size === 0) {
      address?.waiting.delete(host);
      this.#delayed.delete(host);
      return;
    }
    if (this.#isDelayed(host)) this.#delayed.add(host);
    const readyAt = this.#readyAt(host, now);
    let alarmAt = Number.POSITIVE_INFINITY;
    for (const { pause } of host.waiting) {
      const time = Math.max(readyAt, pause.until);
      if (time > now) alarmAt = Math.min(alarmAt, time);
    }
    if (alarmAt === Number.POSITIVE_INFINITY) return;
    host.cancelAlarm = this.#options.clock.at(alarmAt, () => this.#reserve(host));
  }

  #accountOf({ accounts }: Host, userId: string): HostAccount {
    return remember(accounts, userId, () => new HostAccount(this.#options));
  }

  #hostOf(url: string): Host {
    const parsed = new URL(url);
    return remember(this.#hosts, parsed.origin, () => new Host(parsed, this.#options));
  }

  /** Resolves the name when its cached address is old. Webhooks wait for the first resolution only. */
  #keepAddress(host: Host): void {
    if (isIP(host.name) !== 0) {
      host.address ??= this.#addressOf(host, host.name);
      return;
    }
    const now = performance.now();
    if (now < host.lookUpAt) return;
    const isFirst = host.lookUpAt === 0;
    host.lookUpAt = now + addressLifetimeMs;
    host.isLookingUp = isFirst;
    this.#lookups += 1;
    this.#options
      .resolve(host.name)
      // The attempt itself refuses a name without an address.
      .catch(() => [])
      .then(([address]) => {
        this.#lookups -= 1;
        host.isLookingUp = false;
        host.address?.waiting.delete(host);
        host.address = address === undefined ? undefined : this.#addressOf(host, address);
        if (host.waiting.size > 0) host.address?.waiting.add(host);
        this.#reserve(host);
      });
  }

  #addressOf({ port }: Host, address: string): Address {
    const create = () => new Address(this.#options, this.#now());
    return remember(this.#addresses, `${address} ${port}`, create);
  }
}

/** Returns the entry of a key, or a new one. Drops the least recently used entries that are not in use. */
function remember<Value extends { readonly isUnused: boolean }>(
  known: Map<string, Value>,
  key: string,
  create: () => Value,
): Value {
  const found = known.get(key) ?? create();
  // Moves the entry to the end: the most recently used is last.
  known.delete(key);
  known.set(key, found);
  if (known.size <= maxRemembered) return found;
  for (const [other, value] of known) {
    if (known.size <= maxRemembered) break;
    if (value !== found && value.isUnused) known.delete(other);
  }
  return found;
}
