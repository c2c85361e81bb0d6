import type fc from 'fast-check';
import type { Resources } from './resources.ts';
import type { Subject } from './server.ts';

/** One thing that is fuzzed. */
export interface Target<Input> {
  readonly name: string;
  /** Its share of the time. */
  readonly weight: number;
  readonly inputs: fc.Arbitrary<Input>;
  /** Tries an input. Inputs are JSON, so that a failing one can be kept as a seed. */
  attempt(input: Input, setting: Setting): Promise<void>;
  /** Returns lines to print after its last input. */
  report?(): readonly string[];
}

export interface Setting {
  readonly subject: Subject;
  readonly resources: Resources;
}
