import ipaddr from 'ipaddr.js';

/**
 * Returns the network of a client: an IPv4 address, or the /64 network of an IPv6 address, because one
 * subscriber has all its addresses (RFC 6177).
 */
export function networkOf(address: string): string {
  return networkOfBits(address, 64);
}

/**
 * Returns the site of a client: an IPv4 address, or the /48 network of an IPv6 address. One site can have 65,536
 * networks (RFC 6177), so what all clients share is divided by sites.
 */
export function siteOf(address: string): string {
  return networkOfBits(address, 48);
}

function networkOfBits(address: string, bits: 48 | 64): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parts = ipaddr.IPv6.parse(address).parts.slice(0, bits / 16);
  return `${parts.map((part) => part.toString(16)).join(':')}::/${bits}`;
}
