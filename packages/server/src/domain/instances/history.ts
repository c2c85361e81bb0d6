import { historyRange, historyRetention } from '../../generated/rules/periods.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CountedActivity, HistoryRecord } from '../../store/rows/instance/instance-history.ts';
import type { AttemptResult } from '../../store/rows/webhooks/deliveries.ts';
import type { Actor } from '../actor.ts';
import { type Shape, timestamp } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { findInstance } from './instances.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

type Counts = { -readonly [Name in keyof CountedActivity]: CountedActivity[Name] };

/** Counts in memory what this process does for each instance, until it is recorded. */
export class InstanceActivity {
  /** The last hour that this process has begun to record. */
  recordedHour: number | undefined;
  readonly #clock: Clock;
  /** By instance and hour. */
  readonly #counts = new Map<string, Counts>();
  /** Taken, but not stored. */
  #restored: readonly CountedActivity[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  request(instanceId: string): void {
    this.#of(instanceId).requests += 1;
  }

  /** Counts an attempt that ended its delivery. */
  attempt({ delivery, outcome: { status } }: AttemptResult): void {
    if (delivery.test || status === 'retrying') return;
    this.#of(delivery.instanceId)[status] += 1;
  }

  /** Returns what was counted since the last call. */
  take(): readonly CountedActivity[] {
    const taken = [...this.#restored, ...this.#counts.values()];
    this.#restored = [];
    this.#counts.clear();
    return taken;
  }

  /** Takes back what could not be stored. */
  restore(counted: readonly CountedActivity[]): void {
    this.#restored = [...this.#restored, ...counted];
  }

  /** For tests: forgets everything. */
  clear(): void {
    this.take();
    this.recordedHour = undefined;
  }

  #of(instanceId: string): Counts {
    const hour = hourOf(this.#clock.now());
    const key = `${instanceId} ${hour}`;
    let counts = this.#counts.get(key);
    if (counts === undefined) {
      counts = { instanceId, hour, requests: 0, succeeded: 0, failed: 0 };
      this.#counts.set(key, counts);
    }
    return counts;
  }
}

function hourOf(time: number): number {
  return time - (time % hourMs);
}

/**
 * Creates one round of recording. Every process runs it: each adds its own counts, so that no request writes a
 * row that all accounts share. An hour without requests is recorded too.
 */
export function createHistoryRecording({
  store,
  clock,
  activity,
  isOutcomeUnknown,
}: Pick<ServiceOptions, 'store' | 'clock'> & {
  readonly activity: InstanceActivity;
  /** Whether a transaction that failed with this error may have taken effect. */
  readonly isOutcomeUnknown: (error: unknown) => boolean;
}) {
  return async function record(): Promise<void> {
    const hour = hourOf(clock.now());
    const counted = activity.take();
    const isBegun = hour === activity.recordedHour;
    if (isBegun && counted.length === 0) return;
    try {
      await store.transaction(async (tx) => {
        if (!isBegun) await tx.instanceHistory.begin(hour);
        // In one order, so that two processes wait for each other and never in a circle.
        for (const each of counted.toSorted(inOrder)) await tx.instanceHistory.add(each);
      });
      activity.recordedHour = hour;
    } catch (error) {
      // Lost rather than counted twice.
      if (!isOutcomeUnknown(error)) activity.restore(counted);
      throw error;
    }
  };
}

function inOrder(a: CountedActivity, b: CountedActivity): number {
  return a.hour - b.hour || (a.instanceId < b.instanceId ? -1 : 1);
}

export interface HistoryQuery {
  /** ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step?: 'hour' | 'day' | undefined;
}

export type History = ReturnType<typeof createHistory>;

/** The recorded figures of instances. */
export function createHistory({ store, clock }: Pick<ServiceOptions, 'store' | 'clock'>) {
  async function read(
    actor: Actor,
    id: string,
    query: HistoryQuery,
  ): Promise<Shape<'InstanceHistory'>> {
    const { step = 'hour' } = query;
    const { from, to } = historyRange(query, clock.now());
    const { id: instanceId } = await findInstance(store, actor, id);
    const oldest = Math.max(from, clock.now() - historyRetention);
    const hours = await store.instanceHistory.between({
      instanceId,
      from: beginOf(step, oldest),
      to: beginOf(step, to),
    });
    const points = step === 'day' ? days(hours) : hours;
    const data = points.map(present);
    return { instanceId, from: timestamp(from), to: timestamp(to), step, data };
  }

  return { read };
}

/** Returns when the first step begins at a moment or later. Steps are whole, as they are in UTC. */
function beginOf(step: 'hour' | 'day', moment: number): number {
  const length = step === 'day' ? dayMs : hourMs;
  return Math.ceil(moment / length) * length;
}

/** Joins the hours of each day. Its documents are those of its first hour. */
function days(hours: readonly HistoryRecord[]): HistoryRecord[] {
  const joined = new Map<number, HistoryRecord>();
  for (const each of hours) {
    const hour = each.hour - (each.hour % dayMs);
    const day = joined.get(hour) ?? { ...each, hour, requests: 0, succeeded: 0, failed: 0 };
    joined.set(hour, {
      ...day,
      requests: day.requests + each.requests,
      succeeded: day.succeeded + each.succeeded,
      failed: day.failed + each.failed,
    });
  }
  return [...joined.values()];
}

function present(record: HistoryRecord): Shape<'InstancePoint'> {
  const { hour, documents, usedBytes, requests, succeeded, failed } = record;
  return {
    start: timestamp(hour),
    documents,
    usedBytes,
    requests,
    deliveries: { succeeded, failed },
  };
}
