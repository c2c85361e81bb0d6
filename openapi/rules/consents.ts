import { violation } from './errors.ts';
import { futureTime } from './periods.ts';

// State transitions of a consent: pure functions from the current consent to the next.

/** The state of a consent. Times are milliseconds since the epoch. */
export interface ConsentState {
  readonly status: 'granted' | 'revoked' | 'expired';
  /** When it was granted, or last renewed. */
  readonly grantedAt: number;
  /** Null without an end. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly revocationReason: string | null;
}

/** The requested transition, as the contract's `UpdateConsent` has it. */
export interface ConsentTransition {
  readonly status?: 'granted' | 'revoked' | undefined;
  readonly reason?: string | undefined;
  /** A later end, as a timestamp. */
  readonly expiresAt?: string | undefined;
}

/** Returns the consent at `now`: past its end it is expired, even if that is not stored yet. */
export function asOf<Consent extends ConsentState>(consent: Consent, now: number): Consent {
  const { status, expiresAt } = consent;
  const hasLapsed = status === 'granted' && expiresAt !== null && expiresAt <= now;
  return hasLapsed ? { ...consent, status: 'expired' } : consent;
}

/**
 * Returns the consent after a transition; the same consent when nothing changes.
 *
 * @param consent - as of now
 * @throws ServiceError VALIDATION_ERROR for a transition that is not allowed
 */
export function moved<Consent extends ConsentState>(
  consent: Consent,
  { status, reason, expiresAt }: ConsentTransition,
  now: number,
): Consent {
  if (status === 'revoked') return revoked(consent, reason ?? null, now);
  if (expiresAt !== undefined) return renewed(consent, laterEnd(consent, expiresAt, now), now);
  if (status === undefined || consent.status === 'granted') return consent;
  return renewed(consent, sameLength(consent, now), now);
}

/** Returns the type of the event of a transition; undefined when status and end are unchanged. */
export function transitionEvent(
  before: ConsentState,
  after: ConsentState,
): 'consent.revoked' | 'consent.renewed' | undefined {
  if (after.status === before.status && after.expiresAt === before.expiresAt) return undefined;
  return after.status === 'revoked' ? 'consent.revoked' : 'consent.renewed';
}

/** Revokes a granted consent. A revoked consent stays unchanged. */
function revoked<Consent extends ConsentState>(
  consent: Consent,
  reason: string | null,
  now: number,
): Consent {
  if (consent.status === 'revoked') return consent;
  if (consent.status === 'expired') {
    throw violation('status', 'transition', 'This consent has expired and cannot be revoked.');
  }
  return { ...consent, status: 'revoked', revokedAt: now, revocationReason: reason };
}

/** Grants a consent again, from now until an end. */
function renewed<Consent extends ConsentState>(
  consent: Consent,
  expiresAt: number | null,
  now: number,
): Consent {
  const grant = { status: 'granted', grantedAt: now, expiresAt } as const;
  return { ...consent, ...grant, revokedAt: null, revocationReason: null };
}

/** Keeps an end in the future. Moves one in the past so that the term is as long as before. */
function sameLength({ grantedAt, expiresAt }: ConsentState, now: number): number | null {
  if (expiresAt === null || expiresAt > now) return expiresAt;
  return now + (expiresAt - grantedAt);
}

function laterEnd({ status, expiresAt }: ConsentState, requested: string, now: number): number {
  const end = futureTime(requested, now);
  if (status === 'granted' && expiresAt === null) {
    throw violation(
      'expiresAt',
      'future',
      'This consent does not expire. To set an end, revoke it, then renew it with expiresAt.',
    );
  }
  if (expiresAt !== null && end <= expiresAt) {
    const current = new Date(expiresAt).toISOString();
    throw violation(
      'expiresAt',
      'future',
      `expiresAt must be later than the consent's current end, ${current}.`,
    );
  }
  return end;
}
