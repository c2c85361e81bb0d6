import { send } from '../crash/http.ts';
import { chooseOperation } from '../crash/load.ts';
import type { Made, Operation } from '../crash/operations.ts';
import type { Random } from '../crash/random.ts';
import type { Access } from '../crash/server-process.ts';
import { emptyState, type State } from '../crash/state.ts';

/** A confirmed change, and where the record stood when its request was sent and its response received. */
export interface Step {
  readonly operation: Operation;
  readonly idempotencyKey: string | undefined;
  readonly sentAt: number;
  readonly confirmedAt: number;
  readonly made: Made;
  /** The body of the response. */
  readonly body: unknown;
  readonly requestId: string;
}

export interface HistoryOptions {
  readonly random: Random;
  /** A number that was not used before. */
  readonly unique: () => number;
  /** Where the record stands now. */
  readonly position: () => number;
}

/** What one client has changed. It waits for each response before its next request. */
export class History {
  readonly steps: Step[] = [];
  readonly #options: HistoryOptions;
  readonly #state = emptyState();
  readonly #tokens = new Map<string, string>();

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** Makes this number of changes. */
  async work(access: Access, count: number): Promise<void> {
    const { random, unique } = this.#options;
    for (let done = 0; done < count; done += 1) {
      const operation = chooseOperation(
        { state: this.#state, tokens: this.#tokens },
        random,
        unique,
      );
      const hasKey = operation.method === 'POST' && random.happens(0.6);
      await this.#perform(access, operation, hasKey ? `key ${unique()}` : undefined);
    }
  }

  async #perform(access: Access, operation: Operation, idempotencyKey: string | undefined) {
    const { method, path, body, status } = operation;
    const sentAt = this.#options.position();
    const response = await send(access, { method, path, body, idempotencyKey });
    const confirmedAt = this.#options.position();
    if (response.status !== status) {
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    }
    const made = response.body ?? { id: operation.subject };
    operation.apply(this.#state, made);
    if (response.body?.shareToken) this.#tokens.set(made.id, response.body.shareToken);
    this.steps.push({
      operation,
      idempotencyKey,
      sentAt,
      confirmedAt,
      made,
      body: response.body,
      requestId: response.requestId,
    });
  }
}

/** What a history says about a moment: a position of the record. */
export class Moment {
  /** What was confirmed before it. */
  readonly confirmed: State = emptyState();
  readonly #steps: readonly Step[];
  #count = 0;

  constructor({ steps }: History) {
    this.#steps = steps;
  }

  /** The last changes with a key that were confirmed before it. */
  get confirmedWithKey(): readonly Step[] {
    return this.confirmedSteps.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
  }

  get confirmedSteps(): readonly Step[] {
    return this.#steps.slice(0, this.#count);
  }

  /** Moves to a later position. */
  advance(position: number): void {
    for (let step = this.#next; step && step.confirmedAt <= position; step = this.#next) {
      step.operation.apply(this.confirmed, step.made);
      this.#count += 1;
    }
  }

  /** The change that was asked for and not confirmed, when `actual` shows that it was made. */
  unconfirmed(actual: State, position: number): { step: Step; made: Made } | undefined {
    const step = this.#next;
    if (!step || step.sentAt > position) return undefined;
    const made = step.operation.find(actual);
    return made && { step, made };
  }

  get #next(): Step | undefined {
    return this.#steps[this.#count];
  }
}

/** A copy that can be changed; facts are never changed in place. */
export function copyState({ vaults, documents, shares }: State): State {
  return { vaults: new Map(vaults), documents: new Map(documents), shares: new Map(shares) };
}
