import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { refusedReceiver } from '../generated/rules/hosts.ts';

// Where webhooks may connect to. A URL is checked when a webhook is registered, the addresses of its name when
// a connection is opened. Registration resolves no name: its outcome would tell which internal names exist.

/** The addresses that webhooks may connect to. */
export interface AddressOptions {
  /** Allows `http:`, loopback and private addresses. Multicast, link-local and others stay refused. */
  readonly allowPrivate: boolean;
  /** Networks in CIDR notation that are always allowed. Default: none. */
  readonly allowedNetworks?: readonly string[];
}

export type AddressRules = ReturnType<typeof createAddressRules>;

/** Returns all addresses of a name. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

type Address = ReturnType<typeof ipaddr.parse>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

const privateRanges: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'carrierGradeNat',
  'uniqueLocal',
]);

/** Metadata services of cloud platforms return credentials. Their ranges count as public or private. */
const metadataServices = [
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
].map((network) => ipaddr.parseCIDR(network));

/** RFC 4291, section 2.4, as allotted by IANA: every public IPv6 address is inside. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

function isInside(address: Address, [base, bits]: Network): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

type Reach = 'public' | 'private' | 'closed';

function reachOf(address: Address): Reach {
  if (metadataServices.some((network) => isInside(address, network))) return 'closed';
  const range = address.range();
  if (privateRanges.has(range)) return 'private';
  const isOnInternet = address.kind() === 'ipv4' || isInside(address, globalUnicast);
  return range === 'unicast' && isOnInternet ? 'public' : 'closed';
}

/**
 * Both methods return the reason of a refusal in a few words, or undefined.
 *
 * @throws {RangeError} when an allowed network is not in CIDR notation
 */
export function createAddressRules({ allowPrivate, allowedNetworks = [] }: AddressOptions) {
  const allowed = allowedNetworks.map((network) => {
    if (!ipaddr.isValidCIDR(network)) throw new RangeError(`${network} is not a network in CIDR`);
    return ipaddr.parseCIDR(network);
  });

  /** @param text an IPv4 or IPv6 address, without brackets */
  function refusedAddress(text: string): string | undefined {
    if (isIP(text) === 0) return `${text} is not an address`;
    const address = ipaddr.parse(text);
    const reach = reachOf(address);
    const isAllowed =
      reach === 'public' ||
      (allowPrivate && reach === 'private') ||
      allowed.some((network) => isInside(address, network));
    return isAllowed ? undefined : `address ${text} is not allowed`;
  }

  return {
    refusedAddress,

    /** Checks scheme, credentials and a literal address. Does not resolve a name. */
    refusedUrl(text: string): string | undefined {
      const url = URL.parse(text);
      if (url === null) return 'not a URL';
      if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
        return allowPrivate
          ? 'only https and http URLs are allowed'
          : 'only https URLs are allowed';
      }
      const literal = literalAddressOf(url);
      return refusedReceiver(url) ?? (literal === undefined ? undefined : refusedAddress(literal));
    },
  };
}

/** Names that always mean this machine (RFC 6761, section 6.3). */
const localhost = /(^|\.)localhost\.?$/;

/** Returns the address that a URL contains. The URL parser has normalised its notation. */
function literalAddressOf({ hostname }: URL): string | undefined {
  if (localhost.test(hostname)) return '127.0.0.1';
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(literal) === 0 ? undefined : literal;
}

/**
 * Resolves names as this machine does, with its hosts file and search domains. A silent name server
 * blocks one of the platform's few threads, and names of other receivers wait for it.
 */
const resolveAsMachine: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * Resolves names with name servers only, so that a silent one delays no other name.
 *
 * @param servers addresses with port. Default: the machine's name servers
 */
export function createNameServerResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    const results = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = results.flatMap((result) =>
      result.status === 'fulfilled' ? result.value : [],
    );
    if (addresses.length === 0) {
      throw new AggregateError(
        results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
        `${hostname} has no address`,
      );
    }
    return addresses;
  };
}

/** Names that only this machine knows have private addresses, so it resolves where those are allowed. */
export function createResolve({ allowPrivate, allowedNetworks = [] }: AddressOptions): Resolve {
  return allowPrivate || allowedNetworks.length > 0 ? resolveAsMachine : createNameServerResolve();
}

/** The name of a receiver has no address, or one that is refused. */
export class LookupError extends Error {
  override readonly name = 'LookupError';

  /** The message is the same for both: otherwise strangers could find out which internal names exist. */
  constructor(hostname: string, options?: ErrorOptions) {
    super(`the name ${hostname} has no address that webhooks may connect to`, options);
  }
}

/** One refused address refuses the name. */
async function checkedAddresses(
  hostname: string,
  { refusedAddress }: Pick<AddressRules, 'refusedAddress'>,
  resolve: Resolve,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const addresses = await resolve(hostname).catch((cause) => {
    throw new LookupError(hostname, { cause });
  });
  const isRefused = addresses.some((address) => refusedAddress(address) !== undefined);
  const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }));
  if (isRefused || first === undefined) throw new LookupError(hostname);
  return [first, ...others];
}

/**
 * Creates the lookup of connections. It returns only checked addresses, and the connection uses exactly
 * these. Node does not call it for a literal address.
 */
export function createGuardedLookup(rules: AddressRules, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    checkedAddresses(hostname, rules, resolve).then(
      (addresses) => {
        if (options.all) callback(null, addresses);
        else callback(null, addresses[0].address, addresses[0].family);
      },
      (error) => callback(error, []),
    );
  };
}
