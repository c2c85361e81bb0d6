import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import {
  type AddressRules,
  type Resolve,
  refusedName,
} from '../domain/webhooks/webhook-address.ts';

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
