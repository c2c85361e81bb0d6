import type { DeliveryRepository, QueuedDelivery } from '../store/rows/webhooks/deliveries.ts';

type Found = ReadonlyMap<string, QueuedDelivery>;

/**
 * Reads the deliveries whose attempts start in the same turn of the event loop with one statement. Many attempts end
 * in a turn, and a statement for each delivery that follows would cost several times as much.
 */
export class QueuedReader {
  readonly #deliveries: Pick<DeliveryRepository, 'findQueued'>;
  #ids: string[] = [];
  #reading: Promise<Found> | undefined;

  constructor(deliveries: Pick<DeliveryRepository, 'findQueued'>) {
    this.#deliveries = deliveries;
  }

  /** Returns undefined when the delivery is not queued or its webhook is not deliverable. */
  async read(id: string): Promise<QueuedDelivery | undefined> {
    this.#ids.push(id);
    this.#reading ??= this.#readTurn();
    const found = await this.#reading;
    return found.get(id);
  }

  async #readTurn(): Promise<Found> {
    // Runs after all input of this turn.
    await new Promise((resolve) => setImmediate(resolve));
    const ids = this.#ids;
    this.#ids = [];
    this.#reading = undefined;
    return this.#deliveries.findQueued(ids);
  }
}
