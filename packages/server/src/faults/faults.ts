import type { Auth } from '../domain/accounts/auth.ts';
import type { Guard } from '../http/request.ts';
import type { Clock } from '../lib/clock.ts';
import { type Fault, type FaultKinds, type InjectFault, TestFeatureError } from './fault-kinds.ts';
import { createRequestFaults } from './request-faults.ts';
import { createTokenFaults } from './token-faults.ts';

/** The faults that tests inject into a server in development. Production does not load them. */
export interface Faults {
  /** @throws TestFeatureError for an unknown kind or operation, and for an invalid number */
  readonly inject: InjectFault;
  /** Applies the faults of requests that have been admitted. */
  readonly guard: Guard;
  /** Returns an `auth` that rejects the tokens of `expireTokens`. */
  applyTo(auth: Auth): Auth;
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
    guard: requests.guard,
    applyTo: tokens.applyTo,
    clear() {
      requests.clear();
      tokens.clear();
    },
  };
}
