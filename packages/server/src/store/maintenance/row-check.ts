/** What rows must be like: the query finds those that are not. */
export interface RowCheck {
  readonly name: string;
  readonly title: string;
  /** Its rows have the column `problem`, a sentence without its full stop. */
  readonly sql: string;
}
