import { generateSigningKey, type SigningKeyPair } from '../domain/accounts/access-tokens.ts';

let firstKey: Promise<SigningKeyPair> | undefined;

/** The first key is the same for all servers of a process, because generating one takes 100 ms. */
export function sharedSigningKeys(): () => Promise<SigningKeyPair> {
  let isFirst = true;
  return async () => {
    if (!isFirst) return generateSigningKey();
    isFirst = false;
    firstKey ??= generateSigningKey();
    return firstKey;
  };
}
