import { setImmediate } from 'node:timers/promises';
import DataLoader from 'dataloader';
import type { Actor } from '../domain/actor.ts';
import type { DocumentQuery } from '../domain/documents/documents.ts';
import type { ListQuery, Page } from '../domain/pages.ts';
import type { DeliveryQuery } from '../domain/webhooks/deliveries.ts';
import type { AnswerSize } from './answer-size.ts';
import type { Pace } from './pace.ts';
import type { GraphqlServices } from './services.ts';

/** Keys that are looked up in one statement, and rows that it may find. */
const mostKeys = 1000;
const mostRows = 5000;

interface NestedList<Item> {
  readonly noun: string;
  readonly query: { readonly pageSize: number };
  readonly load: Load<Page<Item>>;
}

export interface LoadersOptions {
  readonly actor: Actor;
  readonly services: GraphqlServices;
  readonly size: AnswerSize;
  readonly pace: Pace;
}

/** Answers for each id, in their order. */
type Load<Item> = (ids: readonly string[]) => Promise<(Item | Error)[]>;

/** Loads what many objects of an answer need together. Lives as long as one operation. */
export class Loaders {
  readonly #actor: Actor;
  readonly #services: GraphqlServices;
  readonly #size: AnswerSize;
  readonly #loaders = new Map<string, DataLoader<string, unknown>>();
  readonly #pace: Pace;
  /** Done when the batch before is answered. */
  #turn: Promise<void> | undefined;

  constructor({ actor, services, size, pace }: LoadersOptions) {
    this.#actor = actor;
    this.#services = services;
    this.#size = size;
    this.#pace = pace;
  }

  vault(id: string) {
    const load = (ids: readonly string[]) => this.#services.vaults.getMany(this.#actor, ids);
    return this.#of('vault', load).load(id);
  }

  documentsOf(vaultId: string, query: Omit<DocumentQuery, 'vaultId'>) {
    const { documents } = this.#services;
    const load = (ids: readonly string[]) => documents.listOfEach(this.#actor, ids, query);
    return this.#pageOf(vaultId, { noun: 'documents', query, load });
  }

  sharesOf(documentId: string, query: ListQuery<'createdAt' | 'expiresAt'>) {
    const { shares } = this.#services;
    const load = (ids: readonly string[]) => shares.listOfEach(this.#actor, ids, query);
    return this.#pageOf(documentId, { noun: 'shares', query, load });
  }

  deliveriesOf(webhookId: string, query: DeliveryQuery) {
    const { deliveries } = this.#services;
    const load = (ids: readonly string[]) => deliveries.listOfEach(this.#actor, ids, query);
    return this.#pageOf(webhookId, { noun: 'deliveries', query, load });
  }

  /** Forgets what was loaded: a change may have made it untrue. */
  clear(): void {
    this.#loaders.clear();
  }

  /** A page of a list that has no parent. */
  list<Item>(load: () => Promise<Page<Item>>): Promise<Page<Item>> {
    return this.#inTurn(load);
  }

  /** A page of the list of this parent, loaded with those that others are asked for with the same query. */
  #pageOf<Item>(id: string, { noun, query, load }: NestedList<Item>): Promise<Page<Item>> {
    const name = `${noun} ${JSON.stringify(query)}`;
    const loadOnce: Load<Page<Item>> = (ids) => {
      // Kept, the pages of a large answer would stay till its end.
      this.#loaders.delete(name);
      return load(ids);
    };
    return this.#of(name, loadOnce, query).load(id);
  }

  #of<Item>(
    name: string,
    load: Load<Item>,
    { pageSize }: { readonly pageSize: number } = { pageSize: 1 },
  ): DataLoader<string, Item> {
    const known = this.#loaders.get(name) as DataLoader<string, Item> | undefined;
    if (known) return known;
    const maxBatchSize = Math.min(mostKeys, Math.ceil(mostRows / pageSize));
    const inTurn = (ids: readonly string[]) => this.#inTurn(() => load(ids));
    const loader = new DataLoader<string, Item>(inTurn, { maxBatchSize });
    this.#loaders.set(name, loader);
    return loader;
  }

  /** One batch after the other, with the requests of others in between: a large answer holds nobody up. */
  async #inTurn<Result>(load: () => Promise<Result>): Promise<Result> {
    const before = this.#turn;
    const turn = Promise.withResolvers<void>();
    this.#turn = turn.promise;
    try {
      if (before) {
        await before;
        await setImmediate();
        await this.#pace.reached();
      }
      this.#size.requireRoom();
      return await load();
    } finally {
      turn.resolve();
    }
  }
}
