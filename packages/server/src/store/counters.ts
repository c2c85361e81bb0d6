/** The windows of one key, as all processes have used and reserved them. */
export interface SharedWindows {
  readonly inHour: number;
  readonly inMinute: number;
}

export interface Reservation {
  readonly key: string;
  /** Numbers of the clock's hour and minute since the epoch. */
  readonly hour: number;
  readonly minute: number;
  /** The limits of the windows. */
  readonly maxInHour: number;
  readonly maxInMinute: number;
  /** The wanted requests, which are granted up to the limits. */
  readonly wantedInHour: number;
  readonly wantedInMinute: number;
}

/** The windows after a reservation, and what it got. */
export interface Reserved extends SharedWindows {
  readonly grantedInHour: number;
  readonly grantedInMinute: number;
}

export interface QueryPoints {
  readonly key: string;
  readonly hour: number;
  readonly points: number;
  readonly maxPoints: number;
  /** Null: queries are not limited. */
  readonly maxQueries: number | null;
}

/** What a key has spent on queries in an hour. */
export interface SpentPoints {
  readonly points: number;
  readonly queries: number;
}

/** A possible wrong password. */
export interface FailureCharge {
  readonly key: string;
  /** Failures that are allowed at once. */
  readonly failures: number;
  /** Milliseconds until one more failure is allowed. */
  readonly recoveryMs: number;
}

/** A budget of failures without room for one more. */
export interface FullBudget {
  readonly key: string;
  /** Milliseconds until one more failure is allowed. */
  readonly waitMs: number;
}

/** What several processes with one database count together. Times are epoch milliseconds. */
export interface SharedCounters {
  /** Returns the windows of a key; undefined when nothing was reserved in this hour. */
  windows(key: string, hour: number, minute: number): Promise<SharedWindows | undefined>;
  /** Reserves requests atomically, never above a limit. */
  reserve(reservation: Reservation): Promise<Reserved>;
  /** Spends the points of one query atomically, if they fit. Returns what is spent after it. */
  spend(query: QueryPoints): Promise<SpentPoints & { readonly fits: boolean }>;
  /** Charges all budgets, or none when one is full, which it returns. */
  charge(charges: readonly FailureCharge[], now: number): Promise<FullBudget | undefined>;
  refund(charges: readonly FailureCharge[]): Promise<void>;
  /** Resets the failures of these keys. */
  restore(keys: readonly string[]): Promise<void>;
  /** Removes at most `limit` rows of each table that count nothing any more. Returns whether there may be more. */
  removePast(past: { readonly now: number; readonly limit: number }): Promise<boolean>;
  /** Removes all rows, for tests. */
  clear(): Promise<void>;
}
