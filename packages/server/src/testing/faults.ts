import type { Clock } from '../clock.ts';
import { type Fault, type FaultKinds, type InjectFault, TestFeatureError } from './fault-kinds.ts';
import { createRequestFaults, type RequestFaults } from './request-faults.ts';
import { createTokenFaults, type TokenFaults } from './token-faults.ts';

/** The faults that tests inject. */
export interface Faults {
  /** @throws TestFeatureError for an unknown kind or operation, and for an invalid number */
  readonly inject: InjectFault;
  readonly requests: RequestFaults;
  readonly tokens: TokenFaults;
  /** Ends every fault. */
  clear(): void;
}

export function createFaults(clock: Clock): Faults {
  const requests = createRequestFaults(clock);
  const tokens = createTokenFaults();
  const kinds: { readonly [Kind in keyof FaultKinds]: (options: FaultKinds[Kind]) => Fault } = {
    rateLimit: (options) => requests.add('rateLimit', options),
    error: (options) => requests.add('error', options),
    delay: (options) => requests.add('delay', options),
    stall: (options) => requests.add('stall', options),
    networkError: (options) => requests.add('networkError', options),
    truncate: (options) => requests.add('truncate', options),
    expireTokens: (options) => tokens.add(options),
  };
  return {
    inject(kind, options = {}) {
      if (!Object.hasOwn(kinds, kind)) {
        const known = Object.keys(kinds).join(', ');
        throw new TestFeatureError(`the kind of a fault must be one of ${known}, not ${kind}`);
      }
      return kinds[kind](options);
    },
    requests,
    tokens,
    clear() {
      requests.clear();
      tokens.clear();
    },
  };
}
