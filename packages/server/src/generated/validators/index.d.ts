// Generated from openapi/ by `npm run generate`. Do not edit.

import type { operations } from '../openapi.ts';
import type { RequestValidators } from '../rules/violations.ts';

/** The compiled validators of each operation. */
export declare const requestValidators: Readonly<
  Record<Exclude<keyof operations, `on${string}`>, RequestValidators>
>;
