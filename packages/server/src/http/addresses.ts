/** Returns an IPv4 address that is mapped into IPv6 (RFC 4291, section 2.5.5.2) in its IPv4 form. */
export function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
