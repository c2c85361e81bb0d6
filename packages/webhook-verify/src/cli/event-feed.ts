/** The events of an account as they happen, from the list of the service. */
import { version } from '../delivery.ts';
import { CommandFailure, printable } from './terminal.ts';

/** An event of the service. */
export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

export interface Poll {
  /** The events that no earlier poll returned, the oldest first. */
  readonly events: readonly FeedEvent[];
  /** Milliseconds until the next poll. */
  readonly waitMs: number;
}

/** The service cannot be reached or has failed. The next poll can succeed. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';
}

export interface EventFeedOptions {
  /** URL of the service. */
  readonly service: URL;
  readonly apiKey: string;
  /** Only events of this type. */
  readonly type: string | undefined;
  /** The first time, in epoch milliseconds. Default: the time of the first poll. */
  readonly since: number | undefined;
}

interface EventPage {
  readonly data: readonly FeedEvent[];
  readonly pagination: { readonly hasNextPage: boolean };
}

interface Reply {
  readonly page: EventPage;
  readonly headers: Headers;
  /** The time of the service, in epoch milliseconds, exact to the second. */
  readonly now: number;
}

/** The pages of one poll. Events that happen meanwhile move others to later pages, so that none is missed. */
interface Reading {
  /** By id, the newest first. */
  readonly events: Map<string, FeedEvent>;
  nextPage: number;
  /** The time of the first page, in epoch milliseconds. */
  startedAt: number | undefined;
}

function newReading(): Reading {
  return { events: new Map(), nextPage: 1, startedAt: undefined };
}

/** Milliseconds between two polls, while the rate limit allows them. */
const interval = 10_000;

/**
 * Milliseconds that a poll reads again. Changes that run at the same time commit in any order, so that an
 * event can be listed after a later one.
 */
const overlap = 60_000;

/** Longest wait for a rate limit, in milliseconds: its windows are at most an hour. */
const maxWait = 3_600_000;

/** Milliseconds for one page. */
const timeout = 30_000;

/** Lists the events of an account again and again. */
export class EventFeed {
  readonly #options: EventFeedOptions;
  /** The ids of the events since `#since`. */
  #seen = new Set<string>();
  #start: number | undefined;
  #since: number | undefined;
  #reading = newReading();

  constructor(options: EventFeedOptions) {
    this.#options = options;
    this.#start = options.since;
    this.#since = options.since;
  }

  /**
   * Returns the events since the last poll. The first poll without `since` returns none. A poll that a rate
   * limit or a failure interrupts goes on with its next page in the next call.
   *
   * @throws ServiceUnavailable
   * @throws {@link CommandFailure} when the service refuses the API key
   */
  async poll(): Promise<Poll> {
    const reading = this.#reading;
    for (;;) {
      const reply = await this.#read(reading.nextPage);
      if (!('page' in reply)) return reply;
      const { page, headers, now } = reply;
      for (const event of page.data) reading.events.set(event.id, event);
      reading.nextPage += 1;
      reading.startedAt ??= now;
      const hasMore = page.pagination.hasNextPage && page.data.length > 0;
      const isComplete = this.#start === undefined || !hasMore;
      if (isComplete) {
        return {
          events: this.#finish(reading.events, reading.startedAt),
          waitMs: waitOf(headers, now),
        };
      }
    }
  }

  /** Ends the reading, and returns its new events. */
  #finish(read: ReadonlyMap<string, FeedEvent>, startedAt: number): FeedEvent[] {
    const events =
      this.#start === undefined ? [] : [...read.values()].filter(({ id }) => !this.#seen.has(id));
    this.#start ??= startedAt;
    this.#since = Math.max(this.#start, startedAt - overlap);
    this.#seen = new Set(read.keys());
    this.#reading = newReading();
    return events.reverse();
  }

  /** Returns a page, or the wait that a rate limit asks for. */
  async #read(number: number): Promise<Reply | Poll> {
    const { service, apiKey, type } = this.#options;
    const url = new URL(`${service.href.replace(/\/$/, '')}/api/v1/events`);
    url.searchParams.set('page', `${number}`);
    url.searchParams.set('pageSize', '100');
    if (type !== undefined) url.searchParams.set('type', type);
    if (this.#since !== undefined) {
      url.searchParams.set('since', new Date(this.#since).toISOString());
    }
    const response = await request(url, apiKey);
    const { status, headers } = response;
    if (status === 429) {
      const seconds = Number(headers.get('retry-after')) || 60;
      return { events: [], waitMs: Math.min(seconds * 1000, maxWait) };
    }
    const body = await response.json().catch(() => undefined);
    if (status >= 500) throw new ServiceUnavailable(`The service responded with ${status}.`);
    if (!isPage(body)) throw refusal(status, body);
    return { page: body, headers, now: Date.parse(headers.get('date') ?? '') || Date.now() };
  }
}

async function request(url: URL, apiKey: string): Promise<Response> {
  const headers = {
    'x-api-key': apiKey,
    accept: 'application/json',
    'user-agent': `webhook-verify/${version}`,
  };
  try {
    return await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(timeout) });
  } catch (cause) {
    throw new ServiceUnavailable(`The service at ${url.origin} cannot be reached.`, { cause });
  }
}

function isPage(body: unknown): body is EventPage {
  const { data, pagination } = (body ?? {}) as Partial<EventPage>;
  return Array.isArray(data) && data.every(isEvent) && pagination?.hasNextPage !== undefined;
}

/** Whether the id and the type can be headers of a delivery. */
function isEvent(event: FeedEvent | null): boolean {
  return [event?.id, event?.type].every((text) => /^[\x21-\x7e]+$/.test(`${text ?? ''}`));
}

function refusal(status: number, body: unknown): CommandFailure {
  const { error } = (body ?? {}) as { error?: { message?: unknown } };
  const message = typeof error?.message === 'string' ? ` ${printable(error.message)}` : '';
  return new CommandFailure(`The service refused to list its events (${status}).${message}`);
}

/** Windows of the rate limit: the headers with the remaining requests and with the end, and the length. */
const windows = [
  ['x-ratelimit-remaining', 'x-ratelimit-reset', 3_600_000],
  ['x-ratelimit-minute-remaining', 'x-ratelimit-minute-reset', 60_000],
] as const;

/**
 * Returns the milliseconds until the next poll: the interval, or more where half of the remaining requests
 * would not last until the end of a window. The other half is left to other programs.
 */
function waitOf(headers: Headers, now: number): number {
  const waits = windows.map(([remainingHeader, endHeader, length]) => {
    const remaining = Number(headers.get(remainingHeader) ?? Number.NaN);
    // The clock of a test server can be ahead of its Date header.
    const left = Math.min(length, Number(headers.get(endHeader)) * 1000 - now);
    return Number.isNaN(remaining) ? 0 : Math.min(left, (2 * left) / remaining);
  });
  return Math.max(interval, ...waits);
}
