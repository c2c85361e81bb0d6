import type { Instances, Statistics } from '../../domain/instances/instances.ts';
import type { Handlers } from '../handlers.ts';

export function instanceOperations(instances: Instances, statistics: Statistics) {
  return {
    listInstances: ({ actor, query }) => instances.list(actor, query),
    createInstance: ({ actor, body }) => instances.create(actor, body),
    getInstance: ({ actor, path }) => instances.get(actor, path.id),
    updateInstance: ({ actor, path, body }) => instances.update(actor, path.id, body),
    getInstanceHealth: ({ actor, path }) => instances.health(actor, path.id),
    getInstanceStatistics: ({ actor }) => statistics.read(actor),
  } satisfies Partial<Handlers>;
}
