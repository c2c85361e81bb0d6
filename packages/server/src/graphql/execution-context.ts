import { setImmediate } from 'node:timers/promises';
import DataLoader from 'dataloader';
import type { FieldNode } from 'graphql';
import type { Actor, Visitor, WithCommitHook } from '../domain/actor.ts';
import type { DocumentQuery } from '../domain/documents/documents.ts';
import { type Idempotency, ReplayedError } from '../domain/idempotency.ts';
import type { ListQuery, Page } from '../domain/pages.ts';
import type { Services } from '../domain/services.ts';
import type { DeliveryQuery } from '../domain/webhooks/deliveries.ts';
import { violation } from '../generated/rules/errors.ts';
import type { Arguments } from './operation-analysis.ts';
import { Sizes } from './sizes.ts';

// The state of one running operation, which its resolvers share.

/** The account behind a request. */
export type Caller = Actor & Visitor;

export interface ExecutionContext {
  readonly actor: WithCommitHook<Actor>;
  readonly services: Services;
  readonly loaders: Loaders;
  readonly mutations: MutationRunner;
  readonly size: ResultSize;
  /** Validated arguments by field. */
  readonly args: ReadonlyMap<FieldNode, Arguments>;
}

/** Bytes of one result, which is encoded at once and held until the client has read it. */
const maxResultBytes = 2 * 1024 * 1024;

/** Counts the bytes of a result during execution, because the lengths of texts are unknown before. */
export class ResultSize {
  #bytes = 0;
  /** Of free-form objects, which aliases can repeat. */
  readonly #sizes = new Sizes(maxResultBytes);

  /** @throws ServiceError VALIDATION_ERROR when the result is too large, so that nothing more is loaded or changed */
  requireRoom(): void {
    if (this.#bytes <= maxResultBytes) return;
    const message = `The result has more than ${maxResultBytes} bytes. Request smaller pages or fewer fields.`;
    throw violation('query', 'maxResultBytes', message);
  }

  /** Counts the response name of a field, with quotation marks, colon and comma. */
  addName(name: string | number): void {
    this.#bytes += String(name).length + 4;
  }

  /** Counts a value without fields. */
  addValue(value: unknown): void {
    this.#bytes += this.#sizes.of(value);
  }
}

/** An Idempotency-Key with the digest of its request. */
export interface IdempotencyKey {
  readonly key: string;
  /** SHA-256 of the request body. */
  readonly bodyDigest: Uint8Array;
}

/** Check the stored result of an operation before it is replayed, by the operation's id. */
export type MutationReplayChecks = Readonly<
  Record<string, ((result: never, actor: Actor, path: never) => Promise<void>) | undefined>
>;

export interface MutationRunnerOptions {
  readonly idempotency: Idempotency;
  readonly replayChecks: MutationReplayChecks;
  readonly key: IdempotencyKey | undefined;
}

/** The path under which the results of mutations are stored. */
const idempotencyPath = '/graphql';

/** Runs the mutations of one operation, in the order of its fields. */
export class MutationRunner {
  readonly #actor: Caller;
  readonly #idempotency: Idempotency;
  readonly #replayChecks: MutationReplayChecks;
  readonly #key: IdempotencyKey | undefined;
  #count = 0;
  #replayed = false;

  constructor(actor: Caller, { idempotency, replayChecks, key }: MutationRunnerOptions) {
    this.#actor = actor;
    this.#idempotency = idempotency;
    this.#replayChecks = replayChecks;
    this.#key = key;
  }

  /** Whether an earlier request with the same key had already run one of the mutations. */
  get replayed(): boolean {
    return this.#replayed;
  }

  /**
   * Runs the next mutation, at most once per Idempotency-Key. An operation that broke off between two
   * mutations continues when it is sent again.
   *
   * @param name of the mutation, which is the id of its operation
   */
  async run(
    name: string,
    mutation: (actor: WithCommitHook<Actor>) => Promise<unknown>,
  ): Promise<unknown> {
    const position = this.#count;
    this.#count += 1;
    if (!this.#key) return mutation(this.#actor);
    try {
      const { result, replayed } = await this.#idempotency.run(
        {
          ...this.#key,
          actor: this.#actor,
          method: 'POST',
          path: position === 0 ? idempotencyPath : `${idempotencyPath}#${position}`,
          successStatus: 200,
        },
        (beforeCommit) => mutation({ ...this.#actor, beforeCommit }),
      );
      if (replayed) await this.#replayChecks[name]?.(result as never, this.#actor, {} as never);
      this.#replayed ||= replayed;
      return result;
    } catch (error) {
      this.#replayed ||= error instanceof ReplayedError;
      throw error;
    }
  }
}

/** Keys and rows of one statement. */
const maxBatchKeys = 1000;
const maxBatchRows = 5000;

/** Returns one result for each id, in their order. */
type Load<Item> = (ids: readonly string[]) => Promise<(Item | Error)[]>;

interface NestedList<Item> {
  readonly noun: string;
  readonly query: { readonly pageSize: number };
  readonly load: Load<Page<Item>>;
}

/** Loads the nested objects of many parents in one statement. */
export class Loaders {
  readonly #actor: Actor;
  readonly #services: Services;
  readonly #size: ResultSize;
  readonly #loaders = new Map<string, DataLoader<string, unknown>>();
  /** Resolves when the previous batch is loaded. */
  #previous: Promise<void> | undefined;

  constructor(actor: Actor, services: Services, size: ResultSize) {
    this.#actor = actor;
    this.#services = services;
    this.#size = size;
  }

  vault(id: string) {
    const load = (ids: readonly string[]) => this.#services.vaults.getMany(this.#actor, ids);
    return this.#loader('vault', load).load(id);
  }

  documentsOf(vaultId: string, query: Omit<DocumentQuery, 'vaultId'>) {
    const { documents } = this.#services;
    const load = (ids: readonly string[]) => documents.listOfEach(this.#actor, ids, query);
    return this.#nestedPage(vaultId, { noun: 'documents', query, load });
  }

  sharesOf(documentId: string, query: ListQuery<'createdAt' | 'expiresAt'>) {
    const { shares } = this.#services;
    const load = (ids: readonly string[]) => shares.listOfEach(this.#actor, ids, query);
    return this.#nestedPage(documentId, { noun: 'shares', query, load });
  }

  deliveriesOf(webhookId: string, query: DeliveryQuery) {
    const { deliveries } = this.#services;
    const load = (ids: readonly string[]) => deliveries.listOfEach(this.#actor, ids, query);
    return this.#nestedPage(webhookId, { noun: 'deliveries', query, load });
  }

  /** Loads a page of a root list. */
  list<Item>(load: () => Promise<Page<Item>>): Promise<Page<Item>> {
    return this.#inTurn(load);
  }

  /** Forgets all loaded objects, since a mutation can have changed them. */
  clear(): void {
    this.#loaders.clear();
  }

  /** Loads the page of one parent, together with those of other parents with the same query. */
  #nestedPage<Item>(id: string, { noun, query, load }: NestedList<Item>): Promise<Page<Item>> {
    const name = `${noun} ${JSON.stringify(query)}`;
    const loadOnce: Load<Page<Item>> = (ids) => {
      // A kept loader would hold its pages in memory until the operation ends.
      this.#loaders.delete(name);
      return load(ids);
    };
    return this.#loader(name, loadOnce, query).load(id);
  }

  #loader<Item>(
    name: string,
    load: Load<Item>,
    { pageSize }: { readonly pageSize: number } = { pageSize: 1 },
  ): DataLoader<string, Item> {
    const known = this.#loaders.get(name) as DataLoader<string, Item> | undefined;
    if (known) return known;
    const maxBatchSize = Math.min(maxBatchKeys, Math.ceil(maxBatchRows / pageSize));
    const inTurn = (ids: readonly string[]) => this.#inTurn(() => load(ids));
    const loader = new DataLoader<string, Item>(inTurn, { maxBatchSize });
    this.#loaders.set(name, loader);
    return loader;
  }

  /** Loads one batch at a time. Other requests run between two batches. */
  async #inTurn<Result>(load: () => Promise<Result>): Promise<Result> {
    const previous = this.#previous;
    const batch = Promise.withResolvers<void>();
    this.#previous = batch.promise;
    try {
      if (previous) {
        await previous;
        await setImmediate();
      }
      this.#size.requireRoom();
      return await load();
    } finally {
      batch.resolve();
    }
  }
}
