import type { Destination, Pass } from './hosts.ts';

/** What is done for one webhook. */
interface Lane {
  readonly webhookId: string;
  /** Where its deliveries go, as far as is known. */
  destination: Destination;
  /** Attempts that run. */
  running: number;
  /** Deliveries to attempt next, in order; nothing of them is stored or promised. */
  readonly ready: string[];
  /** Those that are ready, attempted, or not recorded yet. The store still has them in the queue. */
  readonly held: Set<string>;
  /** How many are kept ready beyond those that may run; what proves slow gives them back. */
  ahead: number;
}

/** A delivery to attempt now. */
export interface Taken {
  readonly id: string;
  readonly webhookId: string;
  readonly pass: Pass;
}

export interface LanesOptions {
  /** The most attempts at once for one webhook. */
  readonly limit: number;
}

/** The most that are kept ready for one webhook. */
const mostAhead = 64;
/**
 * Milliseconds that what is kept ready should last, by the pace of the last attempt: enough to ask the
 * store once for many when a receiver is fast, nothing at all when it is slow.
 */
const aheadMs = 500;

/** The webhooks that are being served, each with its own limit, so that none holds up another. */
export class Lanes {
  readonly #limit: number;
  readonly #lanes = new Map<string, Lane>();
  #running = 0;

  constructor({ limit }: LanesOptions) {
    this.#limit = limit;
  }

  /** Attempts that run. */
  get running(): number {
    return this.#running;
  }

  /** How many attempts may still be started for a webhook. */
  free(webhookId: string): number {
    return this.#limit - (this.#lanes.get(webhookId)?.running ?? 0);
  }

  /** Whether more attempts for these webhooks may be started than there is room for. */
  couldUseMore(webhookIds: Iterable<string>, room: number): boolean {
    let free = 0;
    for (const webhookId of webhookIds) {
      free += this.free(webhookId);
      if (free > room) return true;
    }
    return false;
  }

  /** How many more should be ready beyond those that can start, once few are. */
  shortage(webhookId: string): number {
    const { ready, ahead } = this.#lanes.get(webhookId) ?? { ready: [], ahead: mostAhead };
    return ready.length > ahead / 2 ? 0 : ahead - ready.length;
  }

  /** A copy. */
  held(webhookId: string): ReadonlySet<string> {
    return new Set(this.#lanes.get(webhookId)?.held);
  }

  /**
   * Puts deliveries behind those that are ready.
   * @param destination where they go
   */
  add(webhookId: string, destination: Destination, ids: readonly string[]): void {
    if (ids.length === 0) return;
    const lane = this.#laneOf(webhookId);
    lane.destination = destination;
    lane.ready.push(...ids);
    for (const id of ids) lane.held.add(id);
  }

  /**
   * Takes deliveries to attempt now, as far as the limits go. A webhook whose host refuses gives back
   * what is ready.
   * @param enter the permission of the host
   */
  take(
    room: number,
    enter: (webhookId: string, destination: Destination) => Pass | undefined,
  ): Taken[] {
    const taken: Taken[] = [];
    for (const lane of this.#lanes.values()) {
      const { webhookId } = lane;
      while (taken.length < room && lane.running < this.#limit && lane.ready.length > 0) {
        const pass = enter(webhookId, lane.destination);
        if (pass === undefined) {
          this.#giveBack(lane, 0);
          break;
        }
        lane.running += 1;
        this.#running += 1;
        taken.push({ id: lane.ready.shift() ?? '', webhookId, pass });
      }
    }
    return taken;
  }

  /** An attempt has ended, and is still to be recorded. */
  end(webhookId: string, durationMs: number): void {
    const lane = this.#laneOf(webhookId);
    lane.running -= 1;
    this.#running -= 1;
    const pace = Math.floor((aheadMs * this.#limit) / Math.max(1, durationMs));
    lane.ahead = Math.min(mostAhead, pace);
    this.#giveBack(lane, lane.ahead);
  }

  /** Nothing is left to do for a delivery: it is recorded, or not queued any more. */
  release(webhookId: string, id: string): void {
    const lane = this.#laneOf(webhookId);
    lane.held.delete(id);
    if (lane.held.size === 0) this.#lanes.delete(webhookId);
  }

  /** Whether the next attempt for a webhook has to be looked for in the store. */
  isDry(webhookId: string): boolean {
    return (this.#lanes.get(webhookId)?.ready.length ?? 0) === 0;
  }

  /** Forgets what is ready; the store has it. */
  clear(): void {
    for (const lane of this.#lanes.values()) this.#giveBack(lane, 0);
  }

  /** Keeps some of what is ready; the store has the others. */
  #giveBack(lane: Lane, kept: number): void {
    for (const id of lane.ready.splice(kept)) lane.held.delete(id);
    if (lane.held.size === 0) this.#lanes.delete(lane.webhookId);
  }

  #laneOf(webhookId: string): Lane {
    const found = this.#lanes.get(webhookId);
    if (found !== undefined) return found;
    const lane: Lane = {
      webhookId,
      destination: { url: '', userId: '' },
      running: 0,
      ready: [],
      held: new Set(),
      ahead: mostAhead,
    };
    this.#lanes.set(webhookId, lane);
    return lane;
  }
}
