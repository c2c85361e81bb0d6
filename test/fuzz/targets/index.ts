import type { Target } from '../target.ts';
import { bodies } from './bodies.ts';
import { graphql } from './graphql.ts';
import { links } from './links.ts';
import { requests } from './requests.ts';
import { tokens } from './tokens.ts';
import { waits } from './waits.ts';
import { webhooks } from './webhooks.ts';

/** Everything that is fuzzed. */
export const targets = [
  bodies,
  requests,
  tokens,
  graphql,
  links,
  webhooks,
  waits,
] as readonly Target<unknown>[];
