import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { createList, type List, type ListOptions, type PageQuery } from '../pages.ts';

/** Where a consent stands. */
export type ConsentStatus = 'granted' | 'revoked' | 'expired';

/** A consent that the user has given to somebody. */
export interface Consent {
  /** Consent id (UUIDv7). */
  id: string;
  /** The user who gave the consent. */
  userId: string;
  /** What the consent is for. */
  purpose: string;
  /** Free text; `null` when there is none. */
  description: string | null;
  /** Who received it. */
  grantedTo: string;
  /** What it covers, in the words of the caller. */
  scopes: string[] | null;
  /** Where the consent stands. */
  status: ConsentStatus;
  /** When the consent was given (ISO 8601), or last renewed. */
  grantedAt: string;
  /** When the consent ends (ISO 8601); `null` when it has no end. */
  expiresAt: string | null;
  /** When the consent was revoked (ISO 8601); `null` while it is not. */
  revokedAt: string | null;
  /** Why the consent was revoked; `null` while it is not, or when no reason was given. */
  revocationReason: string | null;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
  metadata: { [name: string]: unknown } | null;
  /** When the consent was first given (ISO 8601). */
  createdAt: string;
  /** When the consent was last changed (ISO 8601); equal to `createdAt` until then. */
  updatedAt: string;
}

/** What a new consent says. */
export interface CreateConsent {
  /** 1 to 200 characters after trimming. */
  purpose: string;
  /** Free text; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /** 1 to 200 characters after trimming. */
  grantedTo: string;
  /**
   * What the consent covers, in the words of the caller; `null` when it names nothing in
   * particular. 1 to 50, each of 1 to 100 characters.
   */
  scopes?: string[] | null;
  /** In the future. @default null: it has no end */
  expiresAt?: string | null;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
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
  /** Free text; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
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

  /**
   * Lists the consents of the account, revoked and expired ones too, newest first unless sorted
   * otherwise. Needs the scope `consents:read`.
   *
   * @throws ValidationError when the query is not as described
   */
  list(query: ListConsents = {}, options: ListOptions = {}): List<Consent> {
    return createList(this.#api, '/api/v1/consents', { query, options });
  }

  /**
   * Records a consent of the caller; it becomes `expired` by itself when `expiresAt` passes. Needs
   * the scope `consents:write`.
   *
   * @throws ValidationError when a property is not as described
   */
  create(consent: CreateConsent, options?: CallOptions): ApiPromise<Consent> {
    return this.#api.call('post', '/api/v1/consents', { body: consent }, options);
  }

  /**
   * Revokes, renews or describes a consent, and leaves what is not given. `revoked` revokes a
   * granted one. `granted` renews a revoked or expired one, as a later `expiresAt` does; an end
   * that has passed is then moved so that the consent lasts from now as long as before. Needs the
   * scope `consents:write`.
   *
   * @throws NotFoundError when the account has none of this id
   * @throws ValidationError when a property is not as described, an expired consent is to be
   * revoked (field `status`, constraint `transition`), or `expiresAt` is not later than now and
   * before (constraint `future`)
   */
  update(id: string, changes: UpdateConsent, options?: CallOptions): ApiPromise<Consent> {
    const input = { path: { id }, body: changes };
    return this.#api.call('put', '/api/v1/consents/{id}', input, options);
  }
}
