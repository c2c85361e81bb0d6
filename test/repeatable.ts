/**
 * Property tests try the same inputs in each run, so that a failure belongs to the change that is tested.
 * `FAST_CHECK_SEED=random` tries others, and a number repeats a run.
 */
import fc from 'fast-check';

const seed = process.env.FAST_CHECK_SEED ?? '1';

if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
