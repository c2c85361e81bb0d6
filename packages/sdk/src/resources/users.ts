import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';

/** What an account is allowed per hour and minute. */
export type Tier = 'free' | 'paid' | 'enterprise';

/** A user account. */
export interface User {
  id: string;
  email: string;
  name: string;
  role: 'user' | 'admin';
  tier: Tier;
  status: 'active' | 'suspended';
  instanceId: string;
  createdAt: string;
  updatedAt: string;
}

/** What users can change about themselves; what is left out stays. */
export interface UpdateUser {
  name?: string;
  email?: string;
  /** At least 12 characters. */
  password?: string;
  /** Needed with `password`. */
  currentPassword?: string;
}

/** Confirms the end of an account. */
export interface DeleteUser {
  password: string;
}

/** The user that the credentials belong to. */
export class Users {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  me(options?: CallOptions): ApiPromise<User> {
    return this.#api.call('get', '/api/v1/users/me', {}, options);
  }

  update(changes: UpdateUser, options?: CallOptions): ApiPromise<User> {
    return this.#api.call('put', '/api/v1/users/me', { body: changes }, options);
  }

  /** Deletes the account with everything in it. */
  delete(confirmation: DeleteUser, options?: CallOptions): ApiPromise<void> {
    return this.#api.call('delete', '/api/v1/users/me', { body: confirmation }, options);
  }
}
