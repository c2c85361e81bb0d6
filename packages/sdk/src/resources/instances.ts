import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { createList, type List, type ListOptions, type PageQuery } from '../pages.ts';

/** Whether something works as it should. */
export type HealthStatus = 'healthy' | 'degraded';

/** An instance of the service: accounts and their vaults live on one. */
export interface Instance {
  /** Instance id (UUIDv7). */
  id: string;
  /** Name of the instance. */
  name: string;
  /** Where the instance runs: lower-case letters, digits and `-`. */
  region: string;
  /** Version of the software that the instance runs. */
  version: string;
  /** Health of the instance at its last check. */
  status: HealthStatus;
  /**
   * `true` on creation. An inactive instance takes no new accounts; those that it has go on as
   * before. New accounts belong to the oldest active instance.
   */
  isActive: boolean;
  /** Bytes of encrypted content it may hold. */
  quotaBytes: number;
  /** Bytes of encrypted content that the instance holds. */
  usedBytes: number;
  /** When the instance was created (ISO 8601). */
  createdAt: string;
  /** When the instance was last changed (ISO 8601); equal to `createdAt` until then. */
  updatedAt: string;
}

/** What a new instance says. */
export interface CreateInstance {
  /** 1 to 120 characters after trimming. */
  name: string;
  /** Lower-case letters, digits and `-`. @default default */
  region?: string;
  /** @default as the service is configured */
  quotaBytes?: number;
}

/** What can change about an instance; what is left out stays. */
export interface UpdateInstance {
  /** Name of the instance. 1 to 120 characters after trimming. */
  name?: string;
  /** Where the instance runs: lower-case letters, digits and `-`. 1 to 64 characters. */
  region?: string;
  /**
   * How many bytes of encrypted content the instance may hold. A value below `usedBytes` removes
   * nothing and refuses further uploads.
   */
  quotaBytes?: number;
  /** `false` closes the instance for new accounts, `true` opens it again. */
  isActive?: boolean;
}

/** The health of an instance. */
export interface InstanceHealth {
  /** Id of the instance. */
  instanceId: string;
  /** `degraded` as soon as one check is. */
  status: HealthStatus;
  /** The checks: a write to the store, free disk space, the backlog of webhook deliveries. */
  checks: HealthCheck[];
  /** When the checks ran (ISO 8601). */
  checkedAt: string;
}

/** One thing that was looked at. */
export interface HealthCheck {
  /** What was checked. */
  name: string;
  /** How the check came out. */
  status: HealthStatus;
  /** How long the check took, in milliseconds. */
  durationMs: number;
  /** What is wrong; absent when there is nothing to say. */
  message?: string;
}

/** Deliveries by status. */
export interface DeliveryCounts {
  /** Not attempted yet. */
  pending: number;
  /** Failed at least once, with attempts left. */
  retrying: number;
  /** Acknowledged by the receiver. */
  succeeded: number;
  /** Given up after the last attempt. */
  failed: number;
}

/** What one instance holds. */
export interface InstanceFigures {
  /** Id of the instance. */
  instanceId: string;
  /** Number of vaults. */
  vaults: number;
  /** Number of documents. */
  documents: number;
  /** Bytes of encrypted content. */
  usedBytes: number;
  /** Number of shares that can still be used. */
  activeShares: number;
  /** Number of webhooks. */
  webhooks: number;
  /** Webhook deliveries by status, without tests and those past their retention of 30 days. */
  deliveries: DeliveryCounts;
}

/** What all instances that the caller may see hold. */
export interface InstanceStatistics {
  /** Number of instances. */
  instances: number;
  /** Number of vaults. */
  vaults: number;
  /** Number of documents. */
  documents: number;
  /** Bytes of encrypted content. */
  usedBytes: number;
  /** Number of shares that can still be used. */
  activeShares: number;
  /** Number of webhooks. */
  webhooks: number;
  /** Webhook deliveries by status, without tests and those past their retention of 30 days. */
  deliveries: DeliveryCounts;
  /** The same figures for each instance. */
  perInstance: InstanceFigures[];
}

/** The order of a list of instances. */
export interface ListInstances extends PageQuery {
  /** @default createdAt */
  sortBy?: 'createdAt' | 'updatedAt' | 'name';
  /** @default desc for times, asc for the rest */
  sortOrder?: 'asc' | 'desc';
}

/** Instances: users see their own, administrators all of them. */
export class Instances {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Lists the instances that the caller may see, newest first unless sorted otherwise. Needs the
   * scope `instances:read`.
   *
   * @throws ValidationError when the query is not as described
   */
  list(query: ListInstances = {}, options: ListOptions = {}): List<Instance> {
    return createList(this.#api, '/api/v1/instances', { query, options });
  }

  /**
   * Makes an instance. Needs the scope `instances:write` and the role `admin`.
   *
   * @throws PermissionError without the role (`details.requiredRole`)
   * @throws ValidationError when a property is not as described
   */
  create(instance: CreateInstance, options?: CallOptions): ApiPromise<Instance> {
    return this.#api.call('post', '/api/v1/instances', { body: instance }, options);
  }

  /**
   * Answers one instance. Needs the scope `instances:read`.
   *
   * @throws NotFoundError when the caller may see none of this id
   */
  get(id: string, options?: CallOptions): ApiPromise<Instance> {
    return this.#api.call('get', '/api/v1/instances/{id}', { path: { id } }, options);
  }

  /**
   * Changes the properties that are given and leaves the rest. Needs the scope `instances:write`
   * and the role `admin`.
   *
   * @throws NotFoundError when there is none of this id
   * @throws PermissionError without the role (`details.requiredRole`)
   * @throws ValidationError when a property is not as described
   */
  update(id: string, changes: UpdateInstance, options?: CallOptions): ApiPromise<Instance> {
    const input = { path: { id }, body: changes };
    return this.#api.call('put', '/api/v1/instances/{id}', input, options);
  }

  /**
   * Answers the health of an instance with every check. A degraded instance is no error: see
   * `status`. Needs the scope `instances:read`.
   *
   * @throws NotFoundError when the caller may see none of this id
   */
  health(id: string, options?: CallOptions): ApiPromise<InstanceHealth> {
    return this.#api.call('get', '/api/v1/instances/{id}/health', { path: { id } }, options);
  }

  /**
   * Answers figures of every instance that the caller may see: the sum, and each of them. Needs the
   * scope `instances:read`.
   */
  statistics(options?: CallOptions): ApiPromise<InstanceStatistics> {
    return this.#api.call('get', '/api/v1/instances/statistics', {}, options);
  }
}
