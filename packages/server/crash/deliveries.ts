import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import { everyType, secret, verifiedEvent } from '../test/support/webhook-events.ts';
import { read, send } from './http.ts';
import type { Journal } from './journal.ts';
import type { Access } from './server-process.ts';

/** A webhook for every event, with a receiver that acknowledges each. */
export interface Subscription {
  /** Where its deliveries are listed. */
  readonly path: string;
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
}

export async function subscribe(access: Access): Promise<Subscription> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const body = { url: receiver.url, events: everyType, secret };
  const created = await send(access, { method: 'POST', path: '/api/v1/webhooks', body });
  expect(created.status).toBe(201);
  return { path: `/api/v1/webhooks/${created.body.id}/deliveries`, receiver };
}

/** Waits until every delivery has succeeded; returns their number. */
export async function drain(access: Access, { path }: Subscription): Promise<number> {
  const count = async (status: string) => {
    const { pagination } = await read(access, `${path}?status=${status}&pageSize=1`);
    return pagination.totalCount as number;
  };
  while ((await count('pending')) + (await count('retrying')) > 0) await wait(50);
  expect(await count('failed')).toBe(0);
  return count('succeeded');
}

/**
 * Holds what has arrived against the journal: every event of every change and of nothing else, each at
 * least once, signed, and with the same bytes every time. Returns the number of events.
 */
export function judgeArrivals({ receiver }: Subscription, journal: Journal): number {
  const bodies = new Map<string, Buffer>();
  const delivered = new Map<string, number>();
  const requestIds = new Set<string>();
  for (const request of receiver.requests) {
    const { id, type, data, context } = verifiedEvent(request);
    const before = bodies.get(id);
    if (before) {
      expect(request.body.equals(before), id).toBe(true);
      continue;
    }
    bodies.set(id, request.body);
    requestIds.add(context.requestId);
    const { shareId, id: objectId, instanceId } = data.object;
    const key = `${type} ${shareId ?? objectId ?? instanceId}`;
    delivered.set(key, (delivered.get(key) ?? 0) + 1);
  }
  expect(delivered).toEqual(journal.events);
  expect([...journal.requestIds].filter((id) => !requestIds.has(id))).toEqual([]);
  return bodies.size;
}
