import type { FieldNode } from 'graphql';
import type { Actor, Visitor } from '../domain/actor.ts';
import type { Consents } from '../domain/consents.ts';
import type { CurrentUser } from '../domain/current-user.ts';
import type { Deliveries } from '../domain/deliveries.ts';
import type { DeliveryRetries } from '../domain/delivery-retries.ts';
import type { Documents } from '../domain/documents.ts';
import type { Instances } from '../domain/instances.ts';
import type { Shares } from '../domain/shares.ts';
import type { Vaults } from '../domain/vaults.ts';
import type { Webhooks } from '../domain/webhooks.ts';
import type { Changes } from './changes.ts';
import type { Loaders } from './loaders.ts';

/** The domain as far as GraphQL reaches it. */
export interface GraphqlServices {
  readonly currentUser: CurrentUser;
  readonly vaults: Vaults;
  readonly documents: Documents;
  readonly shares: Shares;
  readonly consents: Consents;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly deliveryRetries: DeliveryRetries;
  readonly instances: Instances;
}

/** The account behind a request, as every domain function takes it. */
export type Caller = Actor & Visitor;

/** The arguments of a field. */
export type Arguments = Readonly<Record<string, unknown>>;

/** One operation while it runs: what its resolvers are given. */
export interface Call {
  readonly actor: Actor;
  readonly services: GraphqlServices;
  readonly loaders: Loaders;
  readonly changes: Changes;
  /** The arguments as the contract has approved them, with its defaults, by the field that they were sent to. */
  readonly approved: ReadonlyMap<FieldNode, Arguments>;
}

/** Answers a field. What its parent and its arguments are is between it and the schema. */
export type Resolver = (parent: never, args: never, call: Call) => unknown;

/** Resolvers by type and field; a field without one is the property of its name. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;
