import { contractOperations } from '../contract/contract.ts';
import type { Auth } from '../domain/accounts/auth.ts';
import { mistakeOf } from '../generated/rules/faults.ts';
import type { Guard } from '../http/request.ts';
import type { Clock } from '../lib/clock.ts';
import {
  type ExpireTokensOptions,
  type FaultOptions,
  type InjectFault,
  TestFeatureError,
} from './fault-kinds.ts';
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
  return {
    inject(kind, options = {}) {
      const mistake = mistakeOf(kind, options, isOperation);
      if (mistake !== undefined) throw new TestFeatureError(mistake);
      return kind === 'expireTokens'
        ? tokens.add(options as ExpireTokensOptions)
        : requests.add(kind, options as FaultOptions);
    },
    guard: requests.guard,
    applyTo: tokens.applyTo,
    clear() {
      requests.clear();
      tokens.clear();
    },
  };
}

function isOperation(name: string): boolean {
  return name === 'graphql' || contractOperations.some(({ id }) => id === name);
}
