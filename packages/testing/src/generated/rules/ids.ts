// Generated from openapi/rules/ids.ts by `npm run generate`. Do not edit.

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns an id as the service writes it: a UUID in lower case, every other id unchanged.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9562#section-4
 */
export function writtenId(id: string): string {
  return uuid.test(id) ? id.toLowerCase() : id;
}
