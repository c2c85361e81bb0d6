import { diffOf } from '../../generated/rules/changes.ts';
import { violation } from '../../generated/rules/errors.ts';
import { requireWebhookOwner } from '../../generated/rules/owners.ts';
import { endedSecret } from '../../generated/rules/replays.ts';
import { maskedHeaders, refuseHeaders } from '../../generated/rules/webhook-headers.ts';
import type { WebhookStatistics } from '../../store/rows/webhooks/delivery-counters.ts';
import type { WebhookRecord } from '../../store/rows/webhooks/webhooks.ts';
import type { Repositories } from '../../store/store.ts';
import { hasScope, type OfAccount, ownerOfRows, requireVisible } from '../access.ts';
import { randomWebhookSecret } from '../accounts/secrets.ts';
import type { Actor, WithCommitHook } from '../actor.ts';
import { accessIdOf, endedAccessOf } from '../oauth/live-access.ts';
import { inOrder, type ListQuery, type Page, toPage } from '../pages.ts';

import { type EventType, optionalTimestamp, type Shape, timestamp } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import {
  changedAccess,
  reachesAll,
  refuseDeciding,
  refuseForeignEvents,
  refuseHeadersOfUser,
  refuseSharedSecret,
  refuseUnreadable,
  refuseWithoutSecret,
  urlOfEndedApp,
} from './webhook-rights.ts';
import { previousSecretExpiry, previousSecretOf, rotatedSecret } from './webhook-secrets.ts';

type Webhook = Shape<'Webhook'>;

export interface WebhooksOptions extends ServiceOptions {
  /** Returns why deliveries cannot be sent to a URL, or undefined. */
  readonly refusedUrl: (url: string) => string | undefined;
  /** Called after a commit that made deliveries due. */
  readonly onDeliveries: () => void;
}

/** A webhook of an app ends when its access loses this scope. */
const requiredScope = 'webhooks:write';

/** Deliveries that are removed in one transaction. */
const removalStep = 200;

export type Webhooks = ReturnType<typeof createWebhooks>;

/** The fields that an owner can change. */
const changeable = [
  'url',
  'events',
  'secret',
  'previousSecretExpiresAt',
  'description',
  'headers',
  'active',
  'accounts',
  'metadata',
] as const satisfies (keyof WebhookRecord)[];

export function createWebhooks(options: WebhooksOptions) {
  const { store, work, clock, ids, accountLimits, refusedUrl, onDeliveries } = options;

  async function list(
    actor: Actor,
    query: ListQuery<'createdAt' | 'updatedAt'> & OfAccount,
  ): Promise<Page<Webhook>> {
    const { rows, totalCount } = await store.webhooks.list({
      ...inOrder(query),
      userId: ownerOfRows(actor, query),
    });
    const statisticsOf = await store.webhookStatistics.findMany(rows.map(({ id }) => id));
    const ended = await endedAccessOf(store, rows, { scope: requiredScope, now: clock.now() });
    return toPage({ rows, totalCount }, query, (webhook) =>
      presentWebhook(actor, webhook, {
        statistics: statisticsOf(webhook.id),
        isEnded: ended.has(webhook.accessId),
        now: clock.now(),
      }),
    );
  }

  async function create(
    actor: WithCommitHook<Actor>,
    input: Shape<'CreateWebhook'>,
  ): Promise<Shape<'CreatedWebhook'>> {
    refuseHeaders(input.headers ?? {});
    const accounts = input.accounts ?? (reachesAll(actor) ? 'all' : 'own');
    refuseForeignEvents(actor, accounts);
    refuseUnreadable(actor, input.events);
    refuseUrl(input.url);
    const now = clock.now();
    const generated = input.secret === undefined ? { secret: randomWebhookSecret() } : {};
    const webhook: WebhookRecord = {
      id: ids.resource(),
      userId: actor.userId,
      url: input.url,
      events: input.events,
      secret: input.secret ?? null,
      previousSecret: null,
      previousSecretExpiresAt: null,
      description: input.description ?? null,
      headers: input.headers ?? null,
      metadata: input.metadata ?? null,
      active: input.active,
      accounts,
      narrowed: false,
      accessId: accessIdOf(actor),
      createdAt: now,
      updatedAt: now,
      ...generated,
    };
    return work(actor, async (tx) => {
      await tx.webhooks.insert(webhook);
      await accountLimits.refuseExcess(tx, webhook.userId, 'webhooks');
      return { ...(await present(tx, actor, webhook)), ...generated };
    });
  }

  async function get(actor: Actor, id: string): Promise<Webhook> {
    return present(store, actor, await findWebhook(store, actor, id));
  }

  async function update(
    actor: WithCommitHook<Actor>,
    id: string,
    input: Shape<'UpdateWebhook'>,
  ): Promise<Webhook> {
    return change(actor, id, input, (webhook) => webhook);
  }

  /** Sets a new secret: the given one, or a generated one, which the result contains. */
  async function rotateSecret(
    actor: WithCommitHook<Actor>,
    id: string,
    input: Shape<'RotateWebhookSecret'>,
  ): Promise<Shape<'RotatedWebhookSecret'>> {
    const generated = input.secret === undefined ? { secret: randomWebhookSecret() } : {};
    return change(actor, id, { ...input, ...generated }, ({ previousSecretExpiresAt }) => ({
      ...generated,
      previousSecretExpiresAt,
    }));
  }

  /**
   * Rejects the replay of a generated secret to credentials that may not set it, and of one that signs nothing any more.
   *
   * @throws ServiceError INSUFFICIENT_PERMISSIONS, VALIDATION_ERROR `usable`
   */
  async function requireUsable(
    actor: Actor,
    id: string,
    { secret }: { readonly secret?: string | undefined },
  ): Promise<void> {
    if (secret === undefined) return;
    const webhook = await store.webhooks.find(id);
    if (webhook) {
      refuseForeignEvents(actor, webhook.accounts);
      refuseUnreadable(actor, webhook.events);
      refuseSharedSecret(actor, webhook, { ...webhook, secret: null });
      const { previousSecret } = previousSecretOf(webhook, clock.now());
      if (secret === webhook.secret || secret === previousSecret) return;
    }
    throw endedSecret('webhook', webhook !== undefined);
  }

  /** @param resultOf returns the result of the request, which is stored for its repetition */
  async function change<Result>(
    actor: WithCommitHook<Actor>,
    id: string,
    input: Shape<'UpdateWebhook'>,
    resultOf: (webhook: Webhook) => Result,
  ): Promise<Result> {
    refuseHeaders(input.headers ?? {});
    if (input.url !== undefined) refuseUrl(input.url);
    const { previousSecretExpiresAt: requestedEnd, ...fields } = input;
    const now = clock.now();
    let isActive = false;
    const result = await work(actor, async (tx) => {
      const stored = await findWebhook(tx, actor, id);
      requireWebhookOwner(stored, actor.userId, Object.keys(input));
      const before: WebhookRecord = {
        ...stored,
        ...previousSecretOf(stored, now),
        active: stored.active && !(await isEnded(tx, stored)),
      };
      const changed: WebhookRecord = { ...before, ...fields, updatedAt: now };
      const accessId = changedAccess(actor, before, changed);
      const rotated = rotatedSecret(before, { ...changed, accessId }, requestedEnd);
      const after = { ...changed, accessId, ...rotated };
      isActive = after.active;
      if (!diffOf(before, after, [...changeable, 'accessId'])) {
        return resultOf(await present(tx, actor, before));
      }
      refuseDeciding(actor, before, after);
      refuseSharedSecret(actor, before, after);
      refuseHeadersOfUser(actor, before, after);
      refuseWithoutSecret(after);
      if (after.active && (await isEnded(tx, after))) throw urlOfEndedApp();
      await accountLimits.refuseGrowth(tx, after.userId, () => tx.webhooks.save(after));
      return resultOf(await present(tx, actor, after));
    });
    // Deliveries that waited while it was inactive are due now.
    if (isActive) onDeliveries();
    return result;
  }

  /**
   * Removes a webhook with its deliveries. Many deliveries are removed in small transactions, so that other
   * requests are served in between. The first of them deactivates the webhook.
   */
  async function remove(actor: WithCommitHook<Actor>, id: string): Promise<void> {
    // Only the last transaction stores the outcome of the request.
    const { beforeCommit, ...sender } = actor;
    for (let isGone = false; !isGone; ) {
      isGone = await work(sender, async (tx) => {
        const webhook = await findWebhook(tx, actor, id);
        const removed = await tx.deliveryLog.removeOf({ webhookId: id, limit: removalStep });
        if (removed < removalStep) {
          await tx.webhooks.delete(id);
          await beforeCommit?.(tx, undefined);
          return true;
        }
        if (webhook.active) await tx.webhooks.save({ ...webhook, active: false });
        return false;
      });
    }
  }

  async function present(
    repositories: Repositories,
    actor: Actor,
    webhook: WebhookRecord,
  ): Promise<Webhook> {
    return presentWebhook(actor, webhook, {
      statistics: await repositories.webhookStatistics.find(webhook.id),
      isEnded: await isEnded(repositories, webhook),
      now: clock.now(),
    });
  }

  /** Whether the access of the app that chose the URL of a webhook has ended. */
  async function isEnded(repositories: Repositories, webhook: WebhookRecord): Promise<boolean> {
    return (
      (await endedAccessOf(repositories, [webhook], { scope: requiredScope, now: clock.now() }))
        .size > 0
    );
  }

  function refuseUrl(url: string): void {
    const refusal = refusedUrl(url);
    if (refusal !== undefined) {
      throw violation('url', 'allowedTarget', `url cannot receive webhooks: ${refusal}.`);
    }
  }

  return { list, create, get, update, rotateSecret, requireUsable, remove };
}

/**
 * Returns the webhook if the actor may see it.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function findWebhook(
  repositories: Repositories,
  actor: Actor,
  webhookId: string,
): Promise<WebhookRecord> {
  const webhook = await repositories.webhooks.find(webhookId);
  return requireVisible(actor, webhook, 'webhook', { webhookId });
}

/** Whether the caller must not see the deliveries of a webhook that belong to other accounts. */
export function seesOnlyOwn(actor: Actor, { accounts, narrowed }: WebhookRecord): boolean {
  return narrowed || (accounts === 'all' && !actor.scopes.has('admin:*'));
}

/**
 * The webhook as a caller sees it, without its secret. Header values are often credentials of the receiver, so only
 * callers that can set them see them. An app sees those of a URL that it has chosen.
 */
function presentWebhook(
  actor: Actor,
  webhook: WebhookRecord,
  {
    statistics,
    isEnded,
    now,
  }: { readonly statistics: WebhookStatistics; readonly isEnded: boolean; readonly now: number },
): Webhook {
  const active = webhook.active && !isEnded;
  const access = accessIdOf(actor);
  const seesHeaders =
    hasScope(actor, 'webhooks:write') &&
    webhook.userId === actor.userId &&
    (access === null || access === webhook.accessId);
  const { totalDeliveries, failedDeliveries, droppedDeliveries, lastError } = statistics;
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events as EventType[],
    accounts: webhook.accounts,
    description: webhook.description,
    headers: seesHeaders ? webhook.headers : maskedHeaders(webhook.headers),
    active,
    metadata: webhook.metadata,
    previousSecretExpiresAt: optionalTimestamp(previousSecretExpiry(webhook, now)),
    createdAt: timestamp(webhook.createdAt),
    updatedAt: timestamp(webhook.updatedAt),
    stats: {
      totalDeliveries,
      failedDeliveries,
      failureRate: totalDeliveries === 0 ? 0 : failedDeliveries / totalDeliveries,
      droppedDeliveries,
      lastDroppedAt: optionalTimestamp(statistics.lastDroppedAt),
      lastError,
      lastDeliveryAt: optionalTimestamp(statistics.lastDeliveryAt),
      consecutiveFailures: statistics.consecutiveFailures,
      failingSince: optionalTimestamp(statistics.failingSince),
      lastSuccessAt: optionalTimestamp(statistics.lastSuccessAt),
      oldestPendingAt: optionalTimestamp(statistics.oldestPendingAt),
    },
    health: active ? healthOf(statistics, now) : 'paused',
  };
}

/** Consecutive failed attempts from which on a webhook is failing. */
const failingAttempts = 3;

/** Milliseconds that a delivery waits until one failed attempt makes its webhook failing. */
const failingWait = 5 * 60 * 1000;

/** How an active webhook is doing. */
function healthOf(
  { consecutiveFailures, oldestPendingAt, lastDeliveryAt }: WebhookStatistics,
  now: number,
): Shape<'WebhookHealth'> {
  const isLate = oldestPendingAt !== null && now - oldestPendingAt > failingWait;
  if (consecutiveFailures >= failingAttempts || (consecutiveFailures > 0 && isLate)) {
    return 'failing';
  }
  return lastDeliveryAt === null ? 'new' : 'healthy';
}
