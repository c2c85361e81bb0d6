import { diffOf } from '../../generated/rules/changes.ts';
import { notFound } from '../../generated/rules/errors.ts';
import type {
  InstanceFigures,
  InstanceFilter,
  InstanceRecord,
} from '../../store/rows/instance/instances.ts';
import type { Repositories } from '../../store/store.ts';
import { type OfAccount, ownerOfRows, requireAdministrator, visibleInstance } from '../access.ts';
import type { Actor, WithCommitHook } from '../actor.ts';
import { inOrder, type ListQuery, type Page, toPage } from '../pages.ts';
import { type Shape, timestamp } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import type { Health } from './health.ts';

export type Instance = Shape<'Instance'>;

export interface FirstInstance extends Pick<ServiceOptions, 'store' | 'clock' | 'ids'> {
  readonly quotaBytes: number;
  readonly version: string;
}

/** Creates the first instance at the first start. Stores the running version at each start. */
export async function ensureInstance(options: FirstInstance): Promise<void> {
  const { store, quotaBytes, version } = options;
  const instance = newInstance({ name: 'main', region: 'default', quotaBytes }, options);
  await store.transaction(async (tx) => {
    if (await tx.instances.isEmpty()) await tx.instances.insert(instance);
    else await tx.instances.setVersion(version);
  });
}

export interface InstancesOptions extends FirstInstance, Pick<ServiceOptions, 'work'> {
  readonly health: Health;
}

export type Instances = ReturnType<typeof createInstances>;

/** The fields that an administrator can change. */
const changeable = [
  'name',
  'region',
  'quotaBytes',
  'isActive',
] as const satisfies (keyof InstanceRecord)[];

export function createInstances(options: InstancesOptions) {
  const { store, work, clock, health, quotaBytes } = options;

  async function list(
    actor: Actor,
    query: ListQuery<InstanceFilter['sortBy']>,
  ): Promise<Page<Instance>> {
    const rows = await store.instances.list({
      ...inOrder(query),
      instanceId: visibleInstance(actor),
    });
    return toPage(rows, query, presentInstance);
  }

  async function create(
    actor: WithCommitHook<Actor>,
    input: Shape<'CreateInstance'>,
  ): Promise<Instance> {
    requireAdministrator(actor);
    const { name, region } = input;
    const instance = newInstance(
      { name, region, quotaBytes: input.quotaBytes ?? quotaBytes },
      options,
    );
    return work(actor, async (tx) => {
      await tx.instances.insert(instance);
      return presentInstance(instance);
    });
  }

  async function get(actor: Actor, id: string): Promise<Instance> {
    return presentInstance(await findInstance(store, actor, id));
  }

  async function update(
    actor: WithCommitHook<Actor>,
    id: string,
    input: Shape<'UpdateInstance'>,
  ): Promise<Instance> {
    requireAdministrator(actor);
    return work(actor, async (tx) => {
      const before = await findInstance(tx, actor, id);
      const after: InstanceRecord = { ...before, ...input, updatedAt: clock.now() };
      if (!diffOf(before, after, changeable)) return presentInstance(before);
      await tx.instances.save(after);
      return presentInstance(after);
    });
  }

  /** Runs the health checks. */
  async function checkHealth(actor: Actor, id: string): Promise<Shape<'InstanceHealth'>> {
    const { id: instanceId } = await findInstance(store, actor, id);
    return { instanceId, ...(await health.check()) };
  }

  return { list, create, get, update, health: checkHealth };
}

/** @throws ServiceError NOT_FOUND */
export async function findInstance(
  repositories: Repositories,
  actor: Actor,
  instanceId: string,
): Promise<InstanceRecord> {
  const own = visibleInstance(actor);
  const instance = await repositories.instances.find(instanceId);
  if (!instance || (own !== null && instance.id !== own)) {
    throw notFound('instance', { instanceId });
  }
  return instance;
}

function newInstance(
  fields: Pick<InstanceRecord, 'name' | 'region' | 'quotaBytes'>,
  { clock, ids, version }: Pick<FirstInstance, 'clock' | 'ids' | 'version'>,
): InstanceRecord {
  const now = clock.now();
  return {
    id: ids.resource(),
    ...fields,
    version,
    status: 'healthy',
    isActive: true,
    usedBytes: 0,
    createdAt: now,
    updatedAt: now,
  };
}

function presentInstance(instance: InstanceRecord): Instance {
  return {
    id: instance.id,
    name: instance.name,
    region: instance.region,
    version: instance.version,
    status: instance.status,
    isActive: instance.isActive,
    quotaBytes: instance.quotaBytes,
    usedBytes: instance.usedBytes,
    createdAt: timestamp(instance.createdAt),
    updatedAt: timestamp(instance.updatedAt),
  };
}

export type Statistics = ReturnType<typeof createStatistics>;

export function createStatistics({ store, clock }: Pick<ServiceOptions, 'store' | 'clock'>) {
  /** Counts the rows of the chosen accounts in every instance that the actor may see. */
  async function read(actor: Actor, chosen: OfAccount): Promise<Shape<'InstanceStatistics'>> {
    const figures = await store.instances.figures({
      instanceId: visibleInstance(actor),
      userId: ownerOfRows(actor, chosen),
      now: clock.now(),
    });
    const sum = (column: Exclude<keyof InstanceFigures, 'instanceId'>) =>
      figures.reduce((total, each) => total + each[column], 0);
    return {
      instances: figures.length,
      vaults: sum('vaults'),
      documents: sum('documents'),
      usedBytes: sum('usedBytes'),
      activeShares: sum('activeShares'),
      webhooks: sum('webhooks'),
      deliveries: {
        pending: sum('pending'),
        retrying: sum('retrying'),
        succeeded: sum('succeeded'),
        failed: sum('failed'),
      },
      perInstance: figures.map(presentFigures),
    };
  }

  return { read };
}

function presentFigures(figures: InstanceFigures): Shape<'InstanceFigures'> {
  const { pending, retrying, succeeded, failed, ...rest } = figures;
  return { ...rest, deliveries: { pending, retrying, succeeded, failed } };
}
