import type { DeliveryStatus, Instance, InstanceFigures, InstancePoint } from '@document-vault/sdk';
import { type Actor, rowsOf, seesInstance } from '../actor.ts';
import { notFound } from '../generated/rules/errors.ts';
import { historyRange } from '../generated/rules/periods.ts';
import { requireAdministrator } from '../generated/rules/scopes.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { change } from '../resource.ts';
import { type State, timestamp } from '../state.ts';
import { instanceQuota } from './limits.ts';
import { isOpenable } from './shares.ts';

export const instanceHandlers = {
  listInstances: ({ state, actor, query }) =>
    toPage(visibleInstances(state, actor), query, present),

  createInstance({ state, actor, body }) {
    requireAdministrator(actor.user);
    return present(addInstance(state, body));
  },

  getInstance: ({ state, actor, path }) => present(findInstance(state, actor, path.id)),

  updateInstance({ state, actor, path, body }) {
    requireAdministrator(actor.user);
    const instance = findInstance(state, actor, path.id);
    change(state, instance, body, ['name', 'region', 'quotaBytes', 'isActive']);
    return present(instance);
  },

  getInstanceHealth({ state, actor, path }) {
    const { id: instanceId, status } = findInstance(state, actor, path.id);
    const names = ['store', 'disk', 'deliveries'];
    const checks = names.map((name) => ({ name, status, durationMs: 0 }));
    return { instanceId, status, checks, checkedAt: timestamp(state.now()) };
  },

  getInstanceStatistics({ state, actor, query }) {
    const isCounted = rowsOf(actor, query);
    const perInstance = visibleInstances(state, actor).map(({ id }) =>
      figuresOf(state, id, isCounted),
    );
    const all = { vaults: 0, documents: 0, usedBytes: 0, activeShares: 0, webhooks: 0 };
    const deliveries = { pending: 0, retrying: 0, succeeded: 0, failed: 0 };
    for (const figures of perInstance) {
      addTo(all, figures);
      addTo(deliveries, figures.deliveries);
    }
    return { instances: perInstance.length, ...all, deliveries, perInstance };
  },
  /** Has one point: the kit counts the current hour, or day. */
  getInstanceHistory({ state, actor, path, query }) {
    const { id } = findInstance(state, actor, path.id);
    const { step = 'hour' } = query;
    const { from, to } = historyRange(query, state.now());
    const start = state.now() - (state.now() % (step === 'day' ? day : hour));
    const data = start >= from && start < to ? [pointOf(state, id, start)] : [];
    return { instanceId: id, from: timestamp(from), to: timestamp(to), step, data };
  },
} satisfies Partial<Handlers>;

const hour = 60 * 60 * 1_000;
const day = 24 * hour;

/** Adds figures to sums, name by name. */
function addTo<Name extends string>(
  sums: Record<Name, number>,
  figures: Readonly<Record<NoInfer<Name>, number>>,
): void {
  for (const name of Object.keys(sums) as Name[]) sums[name] += figures[name];
}

/** Figures since a time. The kit does not count requests. */
function pointOf(state: State, instanceId: string, start: number): InstancePoint {
  const { documents, usedBytes } = figuresOf(state, instanceId);
  const ended = (status: DeliveryStatus) =>
    countOf(state.tables.deliveries, (delivery) => {
      const userId = state.tables.webhooks.get(delivery.webhookId)?.userId ?? '';
      const isHere = state.tables.users.get(userId)?.instanceId === instanceId;
      const isEnded = delivery.status === status && Date.parse(delivery.completedAt ?? '') >= start;
      return isHere && isEnded && !delivery.test;
    });
  const deliveries = { succeeded: ended('succeeded'), failed: ended('failed') };
  return { start: timestamp(start), documents, usedBytes, requests: 0, deliveries };
}

/** Adds an instance. New accounts belong to the first active one. */
export function addInstance(
  { tables, ids, now }: State,
  {
    name,
    region,
    quotaBytes = instanceQuota,
  }: Pick<Instance, 'name' | 'region'> & {
    readonly quotaBytes?: number;
  },
): Instance {
  const createdAt = timestamp(now());
  const instance: Instance = {
    id: ids.resource(),
    name,
    region,
    version: '1.0.0',
    status: 'healthy',
    isActive: true,
    quotaBytes,
    usedBytes: 0,
    createdAt,
    updatedAt: createdAt,
  };
  tables.instances.set(instance.id, instance);
  return instance;
}

function visibleInstances({ tables }: State, actor: Actor): Instance[] {
  return [...tables.instances.values()].filter(({ id }) => seesInstance(actor, id));
}

function findInstance({ tables }: State, actor: Actor, instanceId: string): Instance {
  const instance = tables.instances.get(instanceId);
  if (!instance || !seesInstance(actor, instanceId)) throw notFound('instance', { instanceId });
  return instance;
}

function present(instance: Instance): Instance {
  return { ...instance };
}

interface Owned {
  readonly userId: string;
}

/** Statistics of one instance. */
export function figuresOf(
  state: State,
  instanceId: string,
  isCounted: (row: Owned) => boolean = () => true,
): InstanceFigures {
  const { tables } = state;
  const isHere = (row: Owned) =>
    isCounted(row) && tables.users.get(row.userId)?.instanceId === instanceId;
  const documents = [...tables.documents.values()].filter(isHere);
  const deliveries = [...tables.deliveries.values()].filter(({ webhookId, test }) => {
    const webhook = tables.webhooks.get(webhookId);
    return !test && webhook !== undefined && isHere(webhook);
  });
  const inStatus = (wanted: DeliveryStatus) =>
    deliveries.filter(({ status }) => status === wanted).length;
  return {
    instanceId,
    vaults: countOf(tables.vaults, isHere),
    documents: documents.length,
    usedBytes: documents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    activeShares: countOf(tables.shares, (share) => isHere(share) && isOpenable(state, share)),
    webhooks: countOf(tables.webhooks, isHere),
    deliveries: {
      pending: inStatus('pending'),
      retrying: inStatus('retrying'),
      succeeded: inStatus('succeeded'),
      failed: inStatus('failed'),
    },
  };
}

function countOf<Row>(table: ReadonlyMap<string, Row>, isCounted: (row: Row) => boolean): number {
  return [...table.values()].filter(isCounted).length;
}
