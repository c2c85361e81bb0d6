import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from '../http/request.ts';

/** The fields of a form. A field that was sent several times is a list. */
export type Fields = URLSearchParams;

/** Returns the fields of a body that `readForm` has read. */
export function fieldsOf({ state }: Context): Fields {
  return new URLSearchParams(typeof state.body === 'string' ? state.body : '');
}

/** The field with the token of a form. */
export const csrfField = 'csrf';

/** Returns the token of the forms of one request of an app. */
export function csrfToken(secret: Uint8Array, requestId: string): string {
  return createHmac('sha256', secret).update(`csrf ${requestId}`).digest('base64url');
}

/** Whether a form has the token of its page. */
export function hasToken(fields: Fields, expected: string): boolean {
  const given = Buffer.from(fields.get(csrfField) ?? '');
  const needed = Buffer.from(expected);
  return given.length === needed.length && timingSafeEqual(given, needed);
}

/**
 * Whether a page of this server sent a form. A browser sends the Origin `null` for pages without referrer, and then
 * says in Sec-Fetch-Site where the form was.
 */
export function isFromOwnPage({ req }: Context, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = req.headers;
  const isOwnSite = site === undefined || site === 'same-origin';
  return isOwnSite && (origin === undefined || origin === 'null' || origin === ownOrigin);
}
