import type { Instance, InstanceFigures } from '../../generated/types.ts';
import { type Actor, requireAdministrator, seesInstance } from '../actor.ts';
import { changesBetween } from '../events.ts';
import { notFound } from '../failure.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { timestamp, type World } from '../world.ts';
import { instanceQuota } from './quotas.ts';
import { figuresOf } from './statistics.ts';

export const instanceHandlers = {
  listInstances: ({ world, actor, query }) =>
    toPage(visibleInstances(world, actor), query, present),

  createInstance({ world, actor, body }) {
    requireAdministrator(actor);
    return present(addInstance(world, body));
  },

  getInstance: ({ world, actor, path }) => present(findInstance(world, actor, path.id)),

  updateInstance({ world, actor, path, body }) {
    requireAdministrator(actor);
    const instance = findInstance(world, actor, path.id);
    const changed = changesBetween(instance, { ...instance, ...body }, [
      'name',
      'region',
      'quotaBytes',
      'isActive',
    ]);
    if (changed) Object.assign(instance, body, { updatedAt: timestamp(world.now()) });
    return present(instance);
  },

  getInstanceHealth({ world, actor, path }) {
    const { id: instanceId, status } = findInstance(world, actor, path.id);
    const names = ['store', 'disk', 'deliveries'];
    const checks = names.map((name) => ({ name, status, durationMs: 0 }));
    return { instanceId, status, checks, checkedAt: timestamp(world.now()) };
  },

  getInstanceStatistics({ world, actor }) {
    const perInstance = visibleInstances(world, actor).map(({ id }) => figuresOf(world, id));
    const sum = (of: (figures: InstanceFigures) => number) =>
      perInstance.reduce((total, figures) => total + of(figures), 0);
    return {
      instances: perInstance.length,
      vaults: sum(({ vaults }) => vaults),
      documents: sum(({ documents }) => documents),
      usedBytes: sum(({ usedBytes }) => usedBytes),
      activeShares: sum(({ activeShares }) => activeShares),
      webhooks: sum(({ webhooks }) => webhooks),
      deliveries: {
        pending: sum(({ deliveries }) => deliveries.pending),
        retrying: sum(({ deliveries }) => deliveries.retrying),
        succeeded: sum(({ deliveries }) => deliveries.succeeded),
        failed: sum(({ deliveries }) => deliveries.failed),
      },
      perInstance,
    };
  },
} satisfies Partial<Handlers>;

/** Adds an instance; accounts belong to the first one that is active. */
export function addInstance(
  { tables, ids, now }: World,
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

function visibleInstances({ tables }: World, actor: Actor): Instance[] {
  return [...tables.instances.values()].filter(({ id }) => seesInstance(actor, id));
}

function findInstance({ tables }: World, actor: Actor, instanceId: string): Instance {
  const instance = tables.instances.get(instanceId);
  if (!instance || !seesInstance(actor, instanceId)) throw notFound('instance', { instanceId });
  return instance;
}

function present(instance: Instance): Instance {
  return { ...instance };
}
