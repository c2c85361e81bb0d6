import { lookup, Resolver } from 'node:dns/promises';
import type { AddressOptions, Resolve } from '../domain/webhooks/webhook-address.ts';

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
