import type { FieldNode } from 'graphql';
import type { Actor } from '../domain/actor.ts';
import type { AnswerSize } from './answer-size.ts';
import type { Changes } from './changes.ts';
import type { Loaders } from './loaders.ts';
import type { Pace } from './pace.ts';
import type { GraphqlServices } from './services.ts';

/** The arguments of a field. */
export type Arguments = Readonly<Record<string, unknown>>;

/** One operation while it runs: what its resolvers are given. */
export interface Call {
  readonly actor: Actor;
  readonly services: GraphqlServices;
  readonly loaders: Loaders;
  readonly changes: Changes;
  readonly size: AnswerSize;
  readonly pace: Pace;
  /** The arguments as the contract has approved them, with its defaults, by the field that they were sent to. */
  readonly approved: ReadonlyMap<FieldNode, Arguments>;
  /** How many fields are answered together, of one item of a list or of what was loaded, by its field. */
  readonly widths: ReadonlyMap<FieldNode, number>;
}

/** Answers a field. What its parent and its arguments are is between it and the schema. */
export type Resolver = (parent: never, args: never, call: Call) => unknown;

/** Resolvers by type and field; a field without one is the property of its name. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;
