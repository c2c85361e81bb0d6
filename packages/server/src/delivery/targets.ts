import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Which addresses webhooks may be sent to. */
export interface AddressOptions {
  /** Opens `http:`, loopback and private addresses. Multicast, link-local and the rest stay refused. */
  readonly allowPrivate: boolean;
  /** Networks in CIDR notation that are open whatever else holds; default none. */
  readonly allowedNetworks?: readonly string[];
}

/** Each answers in a few words why something is refused, or undefined. */
export interface AddressRules {
  /** @param address an IPv4 or IPv6 address, as a resolver answers it or as a URL has it, without brackets */
  refusedAddress(address: string): string | undefined;
  /** Looks at the URL alone: a name in it is not resolved. */
  refusedUrl(url: string): string | undefined;
}

/** All addresses of a name; rejects when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

type Address = ReturnType<typeof ipaddr.parse>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

const privateRanges: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'carrierGradeNat',
  'uniqueLocal',
]);

/** Where cloud platforms hand out credentials, inside ranges that count as public or as private. */
const metadataServices = [
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
].map((network) => ipaddr.parseCIDR(network));

/** RFC 4291, section 2.4, as allotted by IANA: outside of it no IPv6 address is on the public internet. */
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

/** @throws {RangeError} for an allowed network that is not in CIDR notation */
export function createAddressRules({
  allowPrivate,
  allowedNetworks = [],
}: AddressOptions): AddressRules {
  const allowed = allowedNetworks.map((network) => {
    if (!ipaddr.isValidCIDR(network)) throw new RangeError(`${network} is not a network in CIDR`);
    return ipaddr.parseCIDR(network);
  });

  function refusedAddress(text: string): string | undefined {
    if (isIP(text) === 0) return `${text} is not an address`;
    const address = ipaddr.parse(text);
    const reach = reachOf(address);
    const isOpen =
      reach === 'public' ||
      (allowPrivate && reach === 'private') ||
      allowed.some((network) => isInside(address, network));
    return isOpen ? undefined : `address ${text} is not allowed`;
  }

  return {
    refusedAddress,

    refusedUrl(text) {
      const url = URL.parse(text);
      if (url === null) return 'not a URL';
      if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
        return allowPrivate
          ? 'only https and http URLs are allowed'
          : 'only https URLs are allowed';
      }
      if (url.username !== '' || url.password !== '')
        return 'a URL with credentials is not allowed';
      const literal = addressOf(url);
      return literal === undefined ? undefined : refusedAddress(literal);
    },
  };
}

/** Names that mean this machine, whatever a name server says (RFC 6761, section 6.3). */
const localhost = /(^|\.)localhost\.?$/;

/** The address that a URL leads to without a lookup. The URL parser has normalised its spelling. */
function addressOf({ hostname }: URL): string | undefined {
  if (localhost.test(hostname)) return '127.0.0.1';
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(literal) === 0 ? undefined : literal;
}

/**
 * Why a name with these addresses may not be dialled; undefined when it may. One refused address refuses
 * the name. The message does not contain the address, because strangers could otherwise resolve names of
 * internal networks.
 */
export function refusedName(
  hostname: string,
  addresses: readonly string[],
  { refusedAddress }: Pick<AddressRules, 'refusedAddress'>,
): string | undefined {
  return addresses.some((address) => refusedAddress(address) !== undefined)
    ? `the name ${hostname} leads to an address that is not allowed`
    : undefined;
}

/**
 * Why a webhook may not be sent to this URL, its name resolved; undefined when it may. One refused
 * address of a name refuses the name. A name without an address is not refused: it may get one.
 */
export async function refusedTarget(
  text: string,
  rules: AddressRules,
  resolve: Resolve,
): Promise<string | undefined> {
  const refusal = rules.refusedUrl(text);
  if (refusal !== undefined) return refusal;
  const url = new URL(text);
  if (addressOf(url) !== undefined) return undefined;
  const addresses = await resolve(url.hostname).catch(() => []);
  return refusedName(url.hostname, addresses, rules);
}

/** Where a URL leads. What its name resolves to is judged when it is dialled. */
export interface OpenTarget {
  readonly refusal: undefined;
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

/** A URL, or why it must not be dialled. */
export type Target = OpenTarget | { readonly refusal: string };

/** URLs that are remembered: reading one costs as much as signing an event. */
const mostRemembered = 1_000;

/** Judges URLs by rules that do not change, each once for as long as it is in use. */
export function createTargets(rules: Pick<AddressRules, 'refusedUrl'>): (url: string) => Target {
  const known = new Map<string, Target>();

  function read(url: string): Target {
    const refusal = rules.refusedUrl(url);
    if (refusal !== undefined) return { refusal };
    const { origin, pathname, search } = new URL(url);
    return { refusal, origin, path: pathname + search };
  }

  return (url) => {
    const found = known.get(url);
    if (found !== undefined) return found;
    const target = read(url);
    if (known.size >= mostRemembered) known.clear();
    known.set(url, target);
    return target;
  };
}

/**
 * As this machine resolves names, hosts file and search domains included. While a name server is
 * silent it holds one of the platform's few threads, and names of other receivers wait for it.
 */
const resolveAsMachine: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * From the name servers alone, so that a silent one delays nobody else's names.
 *
 * @param servers addresses with port; default: the machine's name servers
 */
export function createNameServerResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    if (addresses.length === 0) {
      throw new AggregateError(
        answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])),
        `${hostname} has no address`,
      );
    }
    return addresses;
  };
}

/** The names that only this machine knows lead to private addresses: it is asked where these are open. */
export function createResolve({ allowPrivate, allowedNetworks = [] }: AddressOptions): Resolve {
  return allowPrivate || allowedNetworks.length > 0 ? resolveAsMachine : createNameServerResolve();
}

/** The name of a receiver leads nowhere that may be dialled; the message says why. */
export class LookupError extends Error {
  override readonly name = 'LookupError';
}

async function checkedAddresses(
  hostname: string,
  rules: AddressRules,
  resolve: Resolve,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const addresses = await resolve(hostname).catch((cause) => {
    throw new LookupError(`the name ${hostname} cannot be resolved`, { cause });
  });
  const refusal = refusedName(hostname, addresses, rules);
  if (refusal !== undefined) throw new LookupError(refusal);
  const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }));
  if (first === undefined) throw new LookupError(`the name ${hostname} has no address`);
  return [first, ...others];
}

/**
 * The lookup of a connection: the addresses it answers have been checked, and they are the ones that
 * are dialled. One refused address refuses the name. A connection to a literal address never asks it.
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
