import type { Consent, CreateConsent, ListConsents, UpdateConsent } from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';

/** The consents that the account has given. */
export interface Consents {
  /**
   * Lists the consents of the account, including revoked and expired ones, newest first by default.
   * Needs the scope `consents:read`.
   *
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { purpose, status } of client.consents.list()) console.log(purpose, status);
   */
  list(query?: ListConsents, options?: ListOptions): List<Consent>;

  /**
   * Records a consent. Its status becomes `expired` when `expiresAt` passes. Needs the scope
   * `consents:write`.
   *
   * @throws {@link ValidationError} when a property is invalid
   * @example
   * const consent = await client.consents.create({
   *   purpose: 'Tax return 2026',
   *   grantedTo: 'Tax office',
   * });
   */
  create(consent: CreateConsent, options?: CallOptions): ApiPromise<Consent>;

  /**
   * Revokes, renews or changes a consent. Fields that are not given stay as they are. The status
   * `revoked` revokes a granted consent. The status `granted`, or a later `expiresAt`, renews a
   * revoked or expired one; if its end has passed, the new term is as long as the old one. Needs the
   * scope `consents:write`.
   *
   * @throws {@link NotFoundError} when the account has no consent with this id
   * @throws {@link ValidationError} when a property is invalid, when an expired consent would be
   * revoked (field `status`, constraint `transition`), or when `expiresAt` is not later than now and
   * the current end (constraint `future`)
   * @example
   * await client.consents.update(consent.id, { status: 'revoked', reason: 'The return is filed' });
   */
  update(id: string, changes: UpdateConsent, options?: CallOptions): ApiPromise<Consent>;
}

/** Creates the resource. */
export function createConsents(api: Api): Consents {
  return {
    list: api.list('/api/v1/consents'),
    create: api.send('POST', '/api/v1/consents'),
    update: api.send('PUT', '/api/v1/consents/{id}'),
  };
}
