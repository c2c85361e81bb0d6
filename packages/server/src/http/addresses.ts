import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** A set of networks in CIDR notation. */
export interface Networks {
  includes(address: string): boolean;
}

export function createNetworks(cidrs: readonly string[]): Networks {
  if (cidrs.length === 0) return { includes: () => false };
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/');
    const family = isIPv6(network) ? 'ipv6' : 'ipv4';
    list.addSubnet(network, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return { includes: (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') };
}

/**
 * Returns an address without its zone, which only names an interface (RFC 4007, section 11), and an IPv4 address that is
 * mapped into IPv6 (RFC 4291, section 2.5.5.2) in its IPv4 form.
 */
export function plainAddress(text: string): string {
  const [address = ''] = text.split('%', 1);
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** Returns the address of an entry of X-Forwarded-For, which can have quotes, the brackets of IPv6 and a port. */
function forwardedAddress(entry: string): string {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const [, inBrackets] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  const [, beforePort] = /^([\d.]+):\d+$/.exec(text) ?? [];
  return plainAddress(inBrackets ?? beforePort ?? text);
}

/**
 * Returns the client's address: the peer of the connection or, behind trusted proxies, the last address in
 * X-Forwarded-For that is not a trusted proxy. The header is ignored when another peer sends it, and when
 * that entry is not an address.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: Networks): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '');
  if (!trustedProxies.includes(peer)) return peer;
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map(forwardedAddress)
    .filter((address) => address !== '');
  const client = forwarded.findLast((address) => !trustedProxies.includes(address));
  return client !== undefined && isIP(client) !== 0 ? client : peer;
}
