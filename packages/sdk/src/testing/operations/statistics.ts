import type { DeliveryStatus, InstanceFigures } from '../../generated/types.ts';
import type { World } from '../world.ts';
import { isOpenable } from './shares.ts';

/** What one instance holds. */
export function figuresOf(world: World, instanceId: string): InstanceFigures {
  const { tables } = world;
  const isHere = ({ userId }: { readonly userId: string }) =>
    tables.users.get(userId)?.instanceId === instanceId;
  const deliveries = [...tables.deliveries.values()].filter(({ webhookId, test }) => {
    const webhook = tables.webhooks.get(webhookId);
    return !test && webhook !== undefined && isHere(webhook);
  });
  const inStatus = (wanted: DeliveryStatus) =>
    deliveries.filter(({ status }) => status === wanted).length;
  return {
    instanceId,
    vaults: countOf(tables.vaults, isHere),
    documents: countOf(tables.documents, isHere),
    usedBytes: tables.instances.get(instanceId)?.usedBytes ?? 0,
    activeShares: countOf(tables.shares, (share) => isHere(share) && isOpenable(world, share)),
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
