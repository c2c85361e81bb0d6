import type { Clock } from '../clock.ts';
import { contractOperations } from '../contract/contract.ts';
import {
  type DelayOptions,
  type Fault,
  type FaultKinds,
  type FaultOperation,
  type FaultOptions,
  type RateLimitOptions,
  TestFeatureError,
} from './fault-kinds.ts';

/** The kinds that affect a request after its credentials and its rate limit were checked. */
export type RequestFaultKind = Exclude<keyof FaultKinds, 'expireTokens'>;

/** A fault as it affects one request. */
export type RequestFault = {
  readonly [Kind in RequestFaultKind]: {
    readonly kind: Kind;
    readonly options: FaultKinds[Kind];
    /** Resolves when the delay or the fault ends, or when the client gives up. */
    wait(clientGaveUp: AbortSignal): Promise<void>;
  };
}[RequestFaultKind];

/** The faults of requests. */
export interface RequestFaults {
  /** @throws TestFeatureError for an unknown operation or an invalid number */
  add<Kind extends RequestFaultKind>(kind: Kind, options: FaultKinds[Kind]): Fault;
  /** Returns the fault for a request, and counts it. */
  take(operation: FaultOperation): RequestFault | undefined;
  /** Ends every fault. */
  clear(): void;
}

interface Entry {
  readonly kind: RequestFaultKind;
  readonly options: FaultKinds[RequestFaultKind];
  /** Undefined: all operations. */
  readonly operations: readonly FaultOperation[] | undefined;
  readonly times: number;
  calls: number;
  /** Continues the requests that wait. */
  readonly waiting: Set<() => void>;
}

export function createRequestFaults(clock: Clock): RequestFaults {
  const entries = new Set<Entry>();

  function wait({ kind, options, waiting }: Entry, clientGaveUp: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { milliseconds = defaultDelay }: DelayOptions = options;
    const cancel =
      kind === 'delay' ? clock.at(clock.now() + milliseconds, () => resume()) : () => undefined;
    const resume = () => {
      cancel();
      waiting.delete(resume);
      resolve();
    };
    waiting.add(resume);
    clientGaveUp.addEventListener('abort', resume);
    if (clientGaveUp.aborted) resume();
    return promise;
  }

  function end(entry: Entry): void {
    entries.delete(entry);
    for (const resume of entry.waiting) resume();
  }

  return {
    add(kind, options) {
      rejectMistakes(options);
      const { operations, times = 1 } = options;
      const names = operations && [operations].flat();
      const entry: Entry = {
        kind,
        options,
        operations: names,
        times,
        calls: 0,
        waiting: new Set(),
      };
      entries.add(entry);
      return {
        get calls() {
          return entry.calls;
        },
        restore: () => end(entry),
      };
    },

    take(operation) {
      for (const entry of entries) {
        const matches = entry.operations?.includes(operation) ?? true;
        if (!matches || entry.calls >= entry.times) continue;
        entry.calls += 1;
        const { kind, options } = entry;
        return { kind, options, wait: (clientGaveUp) => wait(entry, clientGaveUp) } as RequestFault;
      }
      return undefined;
    },

    clear() {
      for (const entry of entries) end(entry);
    },
  };
}

/** In milliseconds. */
const defaultDelay = 1_000;

type Numbers = FaultOptions & RateLimitOptions & DelayOptions;

/** Rejects faults that affect no request, such as one for a misspelt operation. */
function rejectMistakes(options: FaultOptions): void {
  const { operations = [], times = 1, retryAfter = 1, milliseconds = 0 }: Numbers = options;
  const isCount = times === Number.POSITIVE_INFINITY || Number.isSafeInteger(times);
  if (!isCount || times < 1) {
    throw new TestFeatureError(`times must be a whole number from 1, or Infinity, not ${times}`);
  }
  if (!Number.isSafeInteger(retryAfter) || retryAfter < 1) {
    throw new TestFeatureError(`retryAfter must be a whole number from 1, not ${retryAfter}`);
  }
  if (!Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new TestFeatureError(`milliseconds must be a number from 0, not ${milliseconds}`);
  }
  const unknown = [operations].flat().find((operation) => !isOperation(operation));
  if (unknown !== undefined) {
    throw new TestFeatureError(`operations: the contract has no operation ${unknown}`);
  }
}

function isOperation(name: string): boolean {
  return name === 'graphql' || contractOperations.some(({ id }) => id === name);
}
