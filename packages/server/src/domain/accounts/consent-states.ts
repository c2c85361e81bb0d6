import { violation } from '../../errors.ts';
import type { ConsentRecord } from '../../store/repositories/consents.ts';

// The transitions of a consent. Each takes it as it is at the moment, and answers it as it is then.

/** The consent as it is at `now`: past its end it has expired, whether anybody has noted it or not. */
export function asOf(consent: ConsentRecord, now: number): ConsentRecord {
  const { status, expiresAt } = consent;
  const hasLapsed = status === 'granted' && expiresAt !== null && expiresAt <= now;
  return hasLapsed ? { ...consent, status: 'expired' } : consent;
}

/**
 * Ends a granted consent; one that is revoked stays as it is.
 * @throws ServiceError VALIDATION_ERROR when it has expired
 */
export function revoked(consent: ConsentRecord, reason: string | null, now: number): ConsentRecord {
  if (consent.status === 'revoked') return consent;
  if (consent.status === 'expired') {
    throw violation('status', 'transition', 'This consent has expired and cannot be revoked.');
  }
  return { ...consent, status: 'revoked', revokedAt: now, revocationReason: reason };
}

/**
 * Grants a consent anew, from now until a later end.
 * @param end undefined: an end that is ahead stays, one that has passed is moved by what the consent
 *   lasted before; a consent that is granted stays as it is
 * @throws ServiceError VALIDATION_ERROR for an end that is not ahead, or not later than the present one
 */
export function renewed(
  consent: ConsentRecord,
  end: number | undefined,
  now: number,
): ConsentRecord {
  if (end === undefined && consent.status === 'granted') return consent;
  return {
    ...consent,
    status: 'granted',
    grantedAt: now,
    expiresAt: end === undefined ? sameLength(consent, now) : laterEnd(consent, end, now),
    revokedAt: null,
    revocationReason: null,
  };
}

function sameLength({ grantedAt, expiresAt }: ConsentRecord, now: number): number | null {
  if (expiresAt === null || expiresAt > now) return expiresAt;
  return now + (expiresAt - grantedAt);
}

function laterEnd({ status, expiresAt }: ConsentRecord, end: number, now: number): number {
  if (end <= now) throw violation('expiresAt', 'future', 'expiresAt must be in the future.');
  if (status === 'granted' && expiresAt === null) {
    throw violation('expiresAt', 'future', 'This consent has no end: no other can be later.');
  }
  if (expiresAt !== null && end <= expiresAt) {
    throw violation('expiresAt', 'future', 'expiresAt must be later than the present one.');
  }
  return end;
}
