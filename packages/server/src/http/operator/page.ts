import type { Context } from '../state.ts';

/** Answers one path, or answers false when there is nothing for this caller. */
export type Page = (ctx: Context) => Promise<boolean>;
