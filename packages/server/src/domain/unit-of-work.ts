import type { ServiceError } from '../generated/rules/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { DroppedDelivery } from '../store/rows/webhooks/deliveries.ts';
import type { DeliveryLimits } from '../store/rows/webhooks/delivery-counters.ts';
import type { Repositories, Store } from '../store/store.ts';
import { requireLiveCredentials } from './access.ts';
import type { Sender, WithCommitHook } from './actor.ts';
import { type NewEvent, recordEvent } from './events.ts';
import type { AccountLimits } from './limits/account-limits.ts';
import type { EventType } from './shapes.ts';

/** Records an event inside the transaction. */
export type Emit = <Type extends EventType>(event: NewEvent<Type>) => Promise<void>;

/**
 * Rejects the request but commits: its events are stored, its changes are not. Return it before the first
 * change. To roll everything back, throw the error instead.
 */
export class RejectedAndRecorded {
  readonly error: ServiceError;

  constructor(error: ServiceError) {
    this.error = error;
  }
}

/**
 * Runs a change in one transaction with its events, their deliveries and the stored outcome of the
 * request. Rejects credentials and accounts that lost their rights after authentication.
 *
 * @throws ServiceError the error of a RejectedAndRecorded, after the commit; INVALID_TOKEN, INVALID_API_KEY,
 *   ACCOUNT_SUSPENDED, INSUFFICIENT_PERMISSIONS
 */
export type UnitOfWork = <Result>(
  sender: WithCommitHook<Sender>,
  change: (tx: Repositories, emit: Emit) => Promise<Result | RejectedAndRecorded>,
  hint?: LockHint,
) => Promise<Result>;

/** The parts that most services of the domain need. */
export interface ServiceOptions {
  readonly store: Store;
  readonly work: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly accountLimits: AccountLimits;
}

/** The rows for which requests wait for each other. */
export interface LockHint {
  /** Names a row that many requests change at the same time. Default: the account of the caller. */
  readonly row?: string;
  /**
   * Id of another account that the transaction changes. Each transaction takes two accounts in the order of their ids,
   * so that none waits for another in a circle.
   */
  readonly otherAccount?: string;
}

export function createUnitOfWork({
  store,
  clock,
  ids,
  webhookDeliveries: limits,
  onDeliveries,
  onDropped,
}: Pick<ServiceOptions, 'store' | 'clock' | 'ids'> & {
  readonly webhookDeliveries: DeliveryLimits;
  /** Called after a commit that queued deliveries. */
  readonly onDeliveries: () => void;
  /** Called after a commit that dropped deliveries of full queues. */
  readonly onDropped?: (dropped: readonly DroppedDelivery[]) => void;
}): UnitOfWork {
  return async (sender, change, { row = sender.userId ?? undefined, otherAccount } = {}) => {
    const { result, queued, dropped } = await store.transaction(async (tx) => {
      let queued = 0;
      const dropped: DroppedDelivery[] = [];
      if (otherAccount !== undefined && sender.userId !== null && otherAccount < sender.userId) {
        await tx.users.find(otherAccount);
      }
      // Takes the account of the caller.
      await requireLiveCredentials(tx, sender, clock.now());
      const result = await change(tx, async (event) => {
        const deliveries = await recordEvent(tx, { event, sender, ids, limits });
        queued += deliveries.queued;
        dropped.push(...deliveries.dropped);
      });
      await sender.beforeCommit?.(tx, result);
      return { result, queued, dropped };
    }, row);
    if (queued > 0) onDeliveries();
    if (dropped.length > 0) onDropped?.(dropped);
    if (result instanceof RejectedAndRecorded) throw result.error;
    return result;
  };
}
