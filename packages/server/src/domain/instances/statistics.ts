import type { Clock } from '../../clock.ts';
import type { InstanceFigures } from '../../store/repositories/instance-figures.ts';
import type { Store } from '../../store/store.ts';
import { visibleInstance } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { Shape } from '../shapes.ts';

export interface StatisticsOptions {
  readonly store: Store;
  readonly clock: Clock;
}

export type Statistics = ReturnType<typeof createStatistics>;

export function createStatistics({ store, clock }: StatisticsOptions) {
  /** Figures of every instance that the actor may see. */
  async function read(actor: Actor): Promise<Shape<'InstanceStatistics'>> {
    const figures = await store.figures.read(visibleInstance(actor), clock.now());
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
