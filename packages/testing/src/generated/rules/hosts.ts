// Generated from openapi/rules/hosts.ts by `npm run generate`. Do not edit.

/**
 * Whether the host of a URL can exist: labels of 1 to 63 bytes, at most 253 together (RFC 1035, section 2.3.4). A dot at
 * the end names the root.
 */
export function isPossibleHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  const isLabel = ({ length }: string) => length >= 1 && length <= 63;
  return name.length <= 253 && name.split('.').every(isLabel);
}
