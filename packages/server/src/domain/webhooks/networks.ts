import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whom an address stands for: an IPv4 address for itself, an IPv6 address for its network of 64 bits,
 * since one subscriber has all of those (RFC 6177).
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
}
