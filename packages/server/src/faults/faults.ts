import { contractOperations } from '../contract/contract.ts';
import { mistakeOf, RequestFaults } from '../generated/rules/faults.ts';
import type { Clock } from '../lib/clock.ts';
import {
  type ExpireTokensOptions,
  type Fault,
  type FaultKinds,
  type FaultOptions,
  TestFeatureError,
} from './fault-kinds.ts';
import { applyFaults } from './request-faults.ts';
import { createTokenFaults } from './token-faults.ts';

/** Injects a fault. Of several that match a request, the oldest affects it. */
type InjectFault = <Kind extends keyof FaultKinds>(kind: Kind, options?: FaultKinds[Kind]) => Fault;

export type Faults = ReturnType<typeof createFaults>;

/** The faults that tests inject into a server in development. Production does not load them. */
export function createFaults(clock: Clock) {
  const requests = new RequestFaults(clock);
  const tokens = createTokenFaults();
  /** @throws TestFeatureError for an unknown kind or operation, and for an invalid number */
  const inject: InjectFault = (kind, options = {}) => {
    const mistake = mistakeOf(kind, options, isOperation);
    if (mistake !== undefined) throw new TestFeatureError(mistake);
    return kind === 'expireTokens'
      ? tokens.add(options as ExpireTokensOptions)
      : requests.add(kind, options as FaultOptions);
  };
  return {
    inject,
    /** Applies the faults of requests that have been admitted. */
    guard: applyFaults(requests),
    applyTo: tokens.applyTo,
    /** Ends every fault. */
    clear(): void {
      requests.clear();
      tokens.clear();
    },
  };
}

function isOperation(name: string): boolean {
  return name === 'graphql' || contractOperations.some(({ id }) => id === name);
}
