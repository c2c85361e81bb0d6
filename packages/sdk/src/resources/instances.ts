import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { createList, type List, type ListOptions, type PageQuery } from '../pages.ts';

/** Whether something works as it should. */
export type HealthStatus = 'healthy' | 'degraded';

/** An instance of the service: accounts and their vaults live on one. */
export interface Instance {
  id: string;
  name: string;
  region: string;
  version: string;
  status: HealthStatus;
  isActive: boolean;
  /** Bytes of encrypted content it may hold. */
  quotaBytes: number;
  usedBytes: number;
  createdAt: string;
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
  name?: string;
  region?: string;
  quotaBytes?: number;
  isActive?: boolean;
}

/** The health of an instance. */
export interface InstanceHealth {
  instanceId: string;
  status: HealthStatus;
  checks: HealthCheck[];
  checkedAt: string;
}

/** One thing that was looked at. */
export interface HealthCheck {
  name: string;
  status: HealthStatus;
  durationMs: number;
  message?: string;
}

/** Deliveries by status. */
export interface DeliveryCounts {
  pending: number;
  retrying: number;
  succeeded: number;
  failed: number;
}

/** What one instance holds. */
export interface InstanceFigures {
  instanceId: string;
  vaults: number;
  documents: number;
  usedBytes: number;
  activeShares: number;
  webhooks: number;
  deliveries: DeliveryCounts;
}

/** What all instances that the caller may see hold. */
export interface InstanceStatistics {
  instances: number;
  vaults: number;
  documents: number;
  usedBytes: number;
  activeShares: number;
  webhooks: number;
  deliveries: DeliveryCounts;
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

  list(query: ListInstances = {}, options: ListOptions = {}): List<Instance> {
    return createList(this.#api, '/api/v1/instances', { query, options });
  }

  /** For administrators. */
  create(instance: CreateInstance, options?: CallOptions): ApiPromise<Instance> {
    return this.#api.call('post', '/api/v1/instances', { body: instance }, options);
  }

  get(id: string, options?: CallOptions): ApiPromise<Instance> {
    return this.#api.call('get', '/api/v1/instances/{id}', { path: { id } }, options);
  }

  /** For administrators. */
  update(id: string, changes: UpdateInstance, options?: CallOptions): ApiPromise<Instance> {
    const input = { path: { id }, body: changes };
    return this.#api.call('put', '/api/v1/instances/{id}', input, options);
  }

  health(id: string, options?: CallOptions): ApiPromise<InstanceHealth> {
    return this.#api.call('get', '/api/v1/instances/{id}/health', { path: { id } }, options);
  }

  statistics(options?: CallOptions): ApiPromise<InstanceStatistics> {
    return this.#api.call('get', '/api/v1/instances/statistics', {}, options);
  }
}
