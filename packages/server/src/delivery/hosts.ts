import { isIP } from 'node:net';
import type { Clock } from '../clock.ts';
import type { AttemptRecord } from '../store/repositories/deliveries.ts';
import { HostLimit, HostPause, type LimitOptions } from './host-limit.ts';

export interface HostsOptions extends LimitOptions {
  readonly clock: Clock;
  /** The addresses of a name; rejects when it has none. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
  /** Called for a webhook that waits, once its host has room. */
  readonly onRoom: (webhookId: string) => void;
}

/** Where the deliveries of a webhook go, and for which account. */
export interface Destination {
  readonly url: string;
  readonly userId: string;
}

/** The permission for one attempt. */
export interface Pass {
  readonly host: Host;
  readonly guest: Guest;
  readonly address: Address | undefined;
  readonly round: number;
}

/** The parts of an attempt's record that count for its host. */
export type HostOutcome = Pick<AttemptRecord, 'error' | 'statusCode'> & {
  /** Milliseconds that the host has asked to wait. */
  readonly retryAfterMs?: number | undefined;
};

/** The most hosts, addresses, and accounts of one host that are remembered. */
const mostRemembered = 10_000;
/** Milliseconds for which the address of a name is remembered. */
const addressLifetimeMs = 60_000;

/** An address with its port. Names of one address share it. */
class Address extends HostLimit {
  /** Hosts with webhooks that wait, perhaps for this address. */
  readonly waiting = new Set<Host>();
}

/**
 * An account at a host. Failures pause it alone: on a host with many customers, an account could otherwise
 * stop the deliveries of others by a URL of its own that fails.
 */
class Guest {
  readonly pause: HostPause;
  /** Webhooks that wait for room, in order. */
  readonly waiting = new Set<string>();
  /** Attempts that run or have a place kept for them. */
  attempts = 0;
  readonly #most: number;
  #window: number;

  constructor(options: LimitOptions) {
    this.pause = new HostPause(options);
    this.#most = options.concurrency;
    this.#window = options.concurrency;
  }

  get isIdle(): boolean {
    return this.attempts === 0 && this.waiting.size === 0;
  }

  mayStart(now: number): boolean {
    return this.attempts < this.#window && this.pause.until <= now;
  }

  /** Each acknowledgement lets in one more at once. */
  acknowledge(): void {
    this.#window = Math.min(this.#most, this.#window + 1);
  }

  /** Lets in one attempt at a time, until one is acknowledged. */
  probe(): void {
    this.#window = 1;
  }
}

/** A host name with its port, as all webhooks of all accounts share it. */
class Host extends HostLimit {
  readonly name: string;
  readonly port: string;
  /** By account, the least recently used first. */
  readonly guests = new Map<string, Guest>();
  address: Address | undefined;
  /** When the address is looked up again, in milliseconds of the process. */
  lookUpAt = 0;
  isLookingUp = false;
  /** Accounts with webhooks that wait for room, in turn. */
  readonly waiting = new Set<Guest>();
  cancelAlarm: () => void = () => undefined;

  constructor({ hostname, port, protocol }: URL, options: HostsOptions) {
    super(options, options.clock.now());
    this.name = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    this.port = port === '' ? protocol : port;
  }
}

/**
 * Limits what is sent to one host by all webhooks of all accounts together. A webhook that is refused
 * here waits: its deliveries stay in the queue, and it is called when there is room.
 */
export class Hosts {
  readonly #options: HostsOptions;
  /** Keys of hosts by URL, since reading a URL takes longer than the rest. */
  readonly #keys = new Map<string, string>();
  /** The least recently used first. */
  readonly #hosts = new Map<string, Host>();
  readonly #addresses = new Map<string, Address>();
  /** Webhooks that wait for their host. */
  readonly #waiting = new Set<string>();
  /** Webhooks that were called, with the permission that is kept for them. */
  readonly #called = new Map<string, Omit<Pass, 'round'>>();
  #lookups = 0;
  #closed = false;

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /** Whether an address is being looked up. */
  get isLookingUp(): boolean {
    return this.#lookups > 0;
  }

  isWaiting(webhookId: string): boolean {
    return this.#waiting.has(webhookId);
  }

  /** Whether a webhook was called and has not begun an attempt since. */
  isCalled(webhookId: string): boolean {
    return this.#called.has(webhookId);
  }

  /** Whether a URL leads to the host of a permission. */
  leadsTo(url: string, { host }: Pass): boolean {
    return this.#hostOf(url) === host;
  }

  /** The permission for one attempt; undefined: the webhook waits from now on. */
  enter(webhookId: string, { url, userId }: Destination): Pass | undefined {
    const host = this.#hostOf(url);
    const guest = this.#guestOf(host, userId);
    const wasCalled = this.#release(webhookId);
    const now = this.#options.clock.now();
    // Those that wait come first.
    if (!wasCalled && host.waiting.size > 0) this.#call(host);
    if (!guest.mayStart(now) || this.#roomOf(host, now) < 1) {
      guest.waiting.add(webhookId);
      host.waiting.add(guest);
      this.#waiting.add(webhookId);
      host.address?.waiting.add(host);
      this.#call(host);
      return undefined;
    }
    const { address } = host;
    host.start(now);
    guest.attempts += 1;
    address?.start(now);
    return { host, guest, address, round: guest.pause.round };
  }

  /** An attempt has ended; undefined: it was not made. */
  leave({ host, guest, address, round }: Pass, outcome: HostOutcome | undefined): void {
    host.running -= 1;
    guest.attempts -= 1;
    if (address) address.running -= 1;
    if (outcome?.error === null) {
      host.acknowledge();
      guest.acknowledge();
      address?.acknowledge();
    }
    if (outcome) this.#judge(guest, round, outcome);
    this.#callAll(host, address);
  }

  /** A webhook that was called has nothing to send. */
  decline(webhookId: string): void {
    const kept = this.#called.get(webhookId);
    if (kept && this.#release(webhookId)) this.#callAll(kept.host, kept.address);
  }

  close(): void {
    this.#closed = true;
    for (const host of this.#hosts.values()) host.cancelAlarm();
  }

  #judge(guest: Guest, round: number, { statusCode, retryAfterMs }: HostOutcome): void {
    const hasFailed = statusCode === null || statusCode >= 500 || statusCode === 429;
    if (!hasFailed) guest.pause.succeed();
    else if (guest.pause.fail({ round, ...(retryAfterMs && { retryAfterMs }) }, this.#now())) {
      guest.probe();
    }
  }

  #now(): number {
    return this.#options.clock.now();
  }

  /** Gives up what was kept for a webhook that was called. */
  #release(webhookId: string): boolean {
    const kept = this.#called.get(webhookId);
    if (!kept) return false;
    this.#called.delete(webhookId);
    kept.host.reserved -= 1;
    kept.guest.attempts -= 1;
    if (kept.address) kept.address.reserved -= 1;
    return true;
  }

  #roomOf(host: Host, now: number): number {
    this.#keepAddress(host);
    if (host.isLookingUp || this.#readyAt(host, now) > now) return 0;
    return Math.min(host.room, host.address?.room ?? Number.POSITIVE_INFINITY);
  }

  #readyAt(host: Host, now: number): number {
    return Math.max(host.readyAt(now), host.address?.readyAt(now) ?? 0);
  }

  /** Calls the other names of the address first: attempts of this host have kept them waiting. */
  #callAll(host: Host, address: Address | undefined): void {
    // A copy, because hosts change their places in it.
    for (const other of [...(address?.waiting ?? [])]) {
      // With thousands of names at one address, each end of an attempt would otherwise go through all.
      if (address === undefined || address.room < 1) break;
      if (other !== host) this.#call(other);
    }
    this.#call(host);
  }

  /**
   * Calls as many webhooks as there is room for, account after account. When time alone brings room, an
   * alarm calls them.
   */
  #call(host: Host): void {
    if (this.#closed) return;
    const { address } = host;
    const now = this.#now();
    for (const guest of host.waiting) {
      if (this.#roomOf(host, now) < 1) break;
      const [webhookId] = guest.waiting;
      if (webhookId === undefined || !guest.mayStart(now)) continue;
      guest.waiting.delete(webhookId);
      // The loop reaches this account again after the others.
      host.waiting.delete(guest);
      if (guest.waiting.size > 0) host.waiting.add(guest);
      this.#waiting.delete(webhookId);
      this.#called.set(webhookId, { host, guest, address });
      host.reserved += 1;
      guest.attempts += 1;
      if (address) {
        address.reserved += 1;
        // The other names of the address come first next time.
        address.waiting.delete(host);
        address.waiting.add(host);
      }
      this.#options.onRoom(webhookId);
    }
    host.cancelAlarm();
    if (host.waiting.size === 0) {
      address?.waiting.delete(host);
      return;
    }
    const readyAt = this.#readyAt(host, now);
    let alarmAt = Number.POSITIVE_INFINITY;
    for (const { pause } of host.waiting) {
      const time = Math.max(readyAt, pause.until);
      if (time > now) alarmAt = Math.min(alarmAt, time);
    }
    if (alarmAt === Number.POSITIVE_INFINITY) return;
    host.cancelAlarm = this.#options.clock.at(alarmAt, () => this.#call(host));
  }

  #guestOf({ guests }: Host, userId: string): Guest {
    const guest = guests.get(userId) ?? new Guest(this.#options);
    guests.delete(userId);
    guests.set(userId, guest);
    forget(guests, (each) => each !== guest && each.isIdle);
    return guest;
  }

  #hostOf(url: string): Host {
    const known = this.#keys.get(url);
    const host = known === undefined ? undefined : this.#hosts.get(known);
    if (known !== undefined && host) {
      // The most recently used last.
      this.#hosts.delete(known);
      this.#hosts.set(known, host);
      return host;
    }
    const parsed = new URL(url);
    const key = `${parsed.protocol}//${parsed.host}`;
    const found = this.#hosts.get(key) ?? new Host(parsed, this.#options);
    if (this.#keys.size >= mostRemembered) this.#keys.clear();
    this.#keys.set(url, key);
    this.#hosts.set(key, found);
    forget(
      this.#hosts,
      (each) => each !== found && each.isIdle && each.waiting.size === 0 && !each.isLookingUp,
    );
    return found;
  }

  /** Looks the address of a name up, and again from time to time; the first time, webhooks wait for it. */
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
      // A name without an address is refused by the attempt itself.
      .catch(() => [])
      .then(([address]) => {
        this.#lookups -= 1;
        host.isLookingUp = false;
        host.address?.waiting.delete(host);
        host.address = address === undefined ? undefined : this.#addressOf(host, address);
        if (host.waiting.size > 0) host.address?.waiting.add(host);
        this.#call(host);
      });
  }

  #addressOf({ port }: Host, address: string): Address {
    const key = `${address} ${port}`;
    const found = this.#addresses.get(key) ?? new Address(this.#options, this.#now());
    this.#addresses.delete(key);
    this.#addresses.set(key, found);
    forget(this.#addresses, (each) => each !== found && each.isIdle && each.waiting.size === 0);
    return found;
  }
}

/** Drops the least recently used that are not in use, when there are too many. */
function forget<Value>(known: Map<string, Value>, isUnused: (value: Value) => boolean): void {
  if (known.size <= mostRemembered) return;
  for (const [key, value] of known) {
    if (known.size <= mostRemembered) return;
    if (isUnused(value)) known.delete(key);
  }
}
