// Generated from openapi/rules/hosts.ts by `npm run generate`. Do not edit.

/**
 * Whether the host of a URL can exist: labels of 1 to 63 bytes, at most 253 together (RFC 1035, section 2.3.4). A dot at
 * the end names the root.
 */
function isPossibleHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  const isLabel = ({ length }: string) => length >= 1 && length <= 63;
  return name.length <= 253 && name.split('.').every(isLabel);
}

/** Returns why a URL can have no receiver, in a few words; undefined when it can. */
export function refusedReceiver({ username, password, hostname }: URL): string | undefined {
  if (username !== '' || password !== '') return 'a URL with credentials is not allowed';
  return isPossibleHost(hostname)
    ? undefined
    : 'a host name has at most 253 characters, and 1 to 63 between two dots';
}
