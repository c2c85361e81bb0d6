import { diffOf } from '../../generated/rules/changes.ts';
import { ServiceError, violation } from '../../generated/rules/errors.ts';
import { missingScopes } from '../../generated/rules/scopes.ts';
import type { WebhookRecord } from '../../store/rows/webhooks/webhooks.ts';
import { requireReadScope } from '../access.ts';
import type { Actor } from '../actor.ts';
import { accessIdOf } from '../oauth/live-access.ts';

// Who may create a webhook, and change it.

/** The fields that decide who receives which events, and who can sign them. */
const deciding = [
  'url',
  'events',
  'headers',
  'secret',
  'previousSecretExpiresAt',
] as const satisfies (keyof WebhookRecord)[];

/** Whether the credentials reach the events of every account. Apps are given those of their user alone. */
export function reachesAll({ role, scopes, oauth = null }: Actor): boolean {
  return role === 'admin' && scopes.has('admin:*') && oauth === null;
}

/**
 * Rejects a webhook of all accounts by credentials that do not reach them.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function refuseForeignEvents(actor: Actor, accounts: WebhookRecord['accounts']): void {
  if (accounts === 'own' || reachesAll(actor)) return;
  throw missingScopes(['admin:*']);
}

/**
 * Rejects a change of who receives which events by credentials that may not receive them. Deliveries that wait
 * already go to the new URL, so an app needs the scopes of the earlier types too.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function refuseDeciding(actor: Actor, before: WebhookRecord, after: WebhookRecord): void {
  if (diffOf(before, after, ['accounts', ...deciding])) refuseForeignEvents(actor, after.accounts);
  if (diffOf(before, after, deciding)) {
    refuseUnreadable(actor, [...before.events, ...after.events]);
  }
  if (after.accounts === 'all' && after.accessId !== null) {
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
      message:
        'An app chose the url of this webhook, so it cannot receive events of other accounts. Set another url.',
    });
  }
}

/**
 * Rejects event types whose resources an app may not read. A user's own key with `webhooks:write` receives all
 * events of the account.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function refuseUnreadable(actor: Actor, events: readonly string[]): void {
  if ((actor.oauth ?? null) === null) return;
  for (const type of events) requireReadScope(actor, type);
}

/**
 * Rejects a secret that an app would know after its access has ended: it could forge events for the receiver of the
 * user.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS, VALIDATION_ERROR `secret`, `required`
 */
export function refuseSharedSecret(
  actor: Actor,
  before: WebhookRecord,
  after: WebhookRecord,
): void {
  const isChanged = after.secret !== before.secret;
  const isSet = isChanged || after.previousSecretExpiresAt !== before.previousSecretExpiresAt;
  const access = accessIdOf(actor);
  if (isSet && access !== null && after.accessId !== access) {
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
      message: 'An app sets the secret only of webhooks whose url it has chosen.',
    });
  }
  if (isChanged || before.accessId === null || after.accessId === before.accessId) return;
  throw violation(
    'secret',
    'required',
    'The app that chose the previous url may know the secret of this webhook. Set a new secret together with url.',
  );
}

/**
 * Rejects an app that would set the headers of a receiver it has not chosen, or receive those of another one at its
 * own URL. Their values are often credentials of the receiver.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS, VALIDATION_ERROR `headers`, `required`
 */
export function refuseHeadersOfUser(
  actor: Actor,
  before: WebhookRecord,
  after: WebhookRecord,
): void {
  const access = accessIdOf(actor);
  if (access === null || before.accessId === access) return;
  const isChanged = diffOf(before, after, ['headers']) !== undefined;
  if (isChanged && after.accessId !== access) {
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
      message: 'An app sets the headers only of webhooks whose url it has chosen.',
    });
  }
  if (isChanged || after.accessId !== access || before.headers === null) return;
  throw violation(
    'headers',
    'required',
    'The headers of this webhook belong to its previous url. Set others together with url, or null.',
  );
}

/** A secret is lost when the operator abandons its master key. */
export function refuseWithoutSecret({ active, secret }: WebhookRecord): void {
  if (!active || secret !== null) return;
  throw violation(
    'secret',
    'required',
    'The secret of this webhook was lost with a key of the service. Set a new secret to activate it.',
  );
}

/** The error for activating a webhook of an app whose access has ended. Its user would send events to the app. */
export function urlOfEndedApp(): ServiceError {
  return violation(
    'url',
    'required',
    'The access of the app that chose the url of this webhook has ended. Set another url and a new secret to activate it.',
  );
}

/**
 * Returns the access that a changed webhook ends with. The one who chooses the URL decides where events go: an app's
 * URL ends with its access, a user's own does not.
 */
export function changedAccess(
  actor: Actor,
  before: WebhookRecord,
  after: WebhookRecord,
): string | null {
  return after.url === before.url ? before.accessId : accessIdOf(actor);
}
