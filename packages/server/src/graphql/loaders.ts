import DataLoader from 'dataloader';
import type { Actor } from '../domain/actor.ts';
import type { DeliveryQuery } from '../domain/deliveries.ts';
import type { DocumentQuery } from '../domain/documents.ts';
import type { ListQuery } from '../domain/pages.ts';
import type { GraphqlServices } from './services.ts';

/** Keys that are looked up in one statement. */
const maxBatchSize = 1000;

/** Loads what many objects of an answer need together. Lives as long as one operation. */
export class Loaders {
  readonly #actor: Actor;
  readonly #services: GraphqlServices;
  readonly #loaders = new Map<string, DataLoader<string, unknown>>();

  constructor(actor: Actor, services: GraphqlServices) {
    this.#actor = actor;
    this.#services = services;
  }

  vault(id: string) {
    return this.#of('vault', (ids) => this.#services.vaults.getMany(this.#actor, ids)).load(id);
  }

  documentsOf(vaultId: string, query: Omit<DocumentQuery, 'vaultId'>) {
    const { documents } = this.#services;
    const load = (ids: readonly string[]) => documents.listOfEach(this.#actor, ids, query);
    return this.#of(`documents ${JSON.stringify(query)}`, load).load(vaultId);
  }

  sharesOf(documentId: string, query: ListQuery<'createdAt' | 'expiresAt'>) {
    const { shares } = this.#services;
    const load = (ids: readonly string[]) => shares.listOfEach(this.#actor, ids, query);
    return this.#of(`shares ${JSON.stringify(query)}`, load).load(documentId);
  }

  deliveriesOf(webhookId: string, query: DeliveryQuery) {
    const { deliveries } = this.#services;
    const load = (ids: readonly string[]) => deliveries.listOfEach(this.#actor, ids, query);
    return this.#of(`deliveries ${JSON.stringify(query)}`, load).load(webhookId);
  }

  /** Forgets what was loaded: a change may have made it untrue. */
  clear(): void {
    this.#loaders.clear();
  }

  #of<Item>(
    name: string,
    load: (ids: readonly string[]) => Promise<(Item | Error)[]>,
  ): DataLoader<string, Item> {
    const known = this.#loaders.get(name) as DataLoader<string, Item> | undefined;
    const loader = known ?? new DataLoader<string, Item>(load, { maxBatchSize });
    this.#loaders.set(name, loader);
    return loader;
  }
}
