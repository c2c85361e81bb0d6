import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { createList, type List, type ListOptions, type PageQuery } from '../pages.ts';

/** Where a consent stands. */
export type ConsentStatus = 'granted' | 'revoked' | 'expired';

/** A consent that the user has given to somebody. */
export interface Consent {
  id: string;
  userId: string;
  purpose: string;
  description: string | null;
  /** Who received it. */
  grantedTo: string;
  /** What it covers, in the words of the caller. */
  scopes: string[] | null;
  status: ConsentStatus;
  grantedAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  revocationReason: string | null;
  metadata: { [name: string]: unknown } | null;
  createdAt: string;
  updatedAt: string;
}

/** What a new consent says. */
export interface CreateConsent {
  /** 1 to 200 characters after trimming. */
  purpose: string;
  description?: string | null;
  /** 1 to 200 characters after trimming. */
  grantedTo: string;
  scopes?: string[] | null;
  /** In the future. @default null: it has no end */
  expiresAt?: string | null;
  metadata?: { [name: string]: unknown } | null;
}

/** What can change about a consent; what is left out stays. */
export interface UpdateConsent {
  /** `revoked` revokes it, `granted` renews one that was revoked or has expired. */
  status?: 'revoked' | 'granted';
  /** Why it is revoked. */
  reason?: string;
  /** A later end, which renews it. */
  expiresAt?: string;
  description?: string | null;
  metadata?: { [name: string]: unknown } | null;
}

/** The order of a list of consents. */
export interface ListConsents extends PageQuery {
  /** @default createdAt */
  sortBy?: 'createdAt' | 'updatedAt';
  /** @default desc for times, asc for the rest */
  sortOrder?: 'asc' | 'desc';
}

/** The user's consents. */
export class Consents {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  list(query: ListConsents = {}, options: ListOptions = {}): List<Consent> {
    return createList(this.#api, '/api/v1/consents', { query, options });
  }

  create(consent: CreateConsent, options?: CallOptions): ApiPromise<Consent> {
    return this.#api.call('post', '/api/v1/consents', { body: consent }, options);
  }

  /** Revokes, renews or describes a consent. */
  update(id: string, changes: UpdateConsent, options?: CallOptions): ApiPromise<Consent> {
    const input = { path: { id }, body: changes };
    return this.#api.call('put', '/api/v1/consents/{id}', input, options);
  }
}
