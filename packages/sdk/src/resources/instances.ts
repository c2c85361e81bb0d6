import type {
  CreateInstance,
  GetInstanceHistory,
  GetInstanceStatistics,
  Instance,
  InstanceHealth,
  InstanceHistory,
  InstanceStatistics,
  ListInstances,
  UpdateInstance,
} from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';

/** Instances of the service. Accounts see their own instance, credentials with `admin:*` see all of them. */
export interface Instances {
  /**
   * Lists the instances that the caller may see, newest first by default. Needs the scope
   * `instances:read`.
   *
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { name, usedBytes } of client.instances.list()) console.log(name, usedBytes);
   */
  list(query?: ListInstances, options?: ListOptions): List<Instance>;

  /**
   * Creates an instance. Needs the scope `instances:write` and the role `admin`.
   *
   * @throws {@link PermissionError} without the role (`details.requiredRole`)
   * @throws {@link ValidationError} when a property is invalid
   * @example
   * const instance = await client.instances.create({ name: 'Europe', region: 'eu-west' });
   */
  create(instance: CreateInstance, options?: CallOptions): ApiPromise<Instance>;

  /**
   * Returns an instance. Needs the scope `instances:read`.
   *
   * @throws {@link NotFoundError} when the caller may see no instance with this id
   * @example
   * const { status, version } = await client.instances.get(instance.id);
   */
  get(id: string, options?: CallOptions): ApiPromise<Instance>;

  /**
   * Changes the given fields. Needs the scope `instances:write` and the role `admin`.
   *
   * @throws {@link NotFoundError} when the caller may see no instance with this id
   * @throws {@link PermissionError} without the role (`details.requiredRole`)
   * @throws {@link ValidationError} when a property is invalid
   * @example
   * await client.instances.update(instance.id, { isActive: false });
   */
  update(id: string, changes: UpdateInstance, options?: CallOptions): ApiPromise<Instance>;

  /**
   * Returns the health of an instance with each check. A degraded instance is not an error: read
   * `status`. Needs the scope `instances:read`.
   *
   * @throws {@link NotFoundError} when the caller may see no instance with this id
   * @example
   * const { status, checks } = await client.instances.health(instance.id);
   */
  health(id: string, options?: CallOptions): ApiPromise<InstanceHealth>;

  /**
   * Counts the vaults, documents, shares, webhooks and deliveries of the account, in total and for
   * each instance that the caller may see. With `admin:*`, `account: 'all'` counts those of every
   * account. Needs the scope `instances:read`.
   *
   * @example
   * const { documents, perInstance } = await client.instances.statistics();
   */
  statistics(query?: GetInstanceStatistics, options?: CallOptions): ApiPromise<InstanceStatistics>;

  /**
   * Returns documents, bytes, requests and deliveries of an instance by hour or by day, the earliest
   * first, of the last 90 days. Times in which no server ran have no point. Needs the scope
   * `instances:read`.
   *
   * @throws {@link NotFoundError} when the caller may see no instance with this id
   * @throws {@link ValidationError} when the query is invalid, or longer than 90 days
   * @example
   * const { data } = await client.instances.history(instance.id, { step: 'day' });
   * for (const { start, requests } of data) console.log(start, requests);
   */
  history(
    id: string,
    query?: GetInstanceHistory,
    options?: CallOptions,
  ): ApiPromise<InstanceHistory>;
}

/** Creates the resource. */
export function createInstances(api: Api): Instances {
  return {
    list: api.list('/api/v1/instances'),
    create: api.send('POST', '/api/v1/instances'),
    get: api.call('GET', '/api/v1/instances/{id}'),
    update: api.send('PUT', '/api/v1/instances/{id}'),
    health: api.call('GET', '/api/v1/instances/{id}/health'),
    statistics: api.send('GET', '/api/v1/instances/statistics'),
    history: api.send('GET', '/api/v1/instances/{id}/statistics/history'),
  };
}
