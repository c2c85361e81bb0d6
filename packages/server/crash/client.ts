import { expect } from 'vitest';
import { ConnectionLostError, type HttpResponse, send } from './http.ts';
import { expectEvent, type Journal } from './journal.ts';
import { chooseOperation } from './load.ts';
import { type Made, type Operation, replays } from './operations.ts';
import type { Random } from './random.ts';
import type { Access, ServerProcess } from './server-process.ts';
import { emptyState, type State } from './state.ts';

/** A request; one with a key can be sent again. */
interface Call {
  readonly operation: Operation;
  readonly idempotencyKey: string | undefined;
}

export interface ClientOptions {
  readonly random: Random;
  readonly journal: Journal;
  /** A number that was not used before. */
  readonly unique: () => number;
}

/** Finished calls with a key that are sent again after a restart. */
const remembered = 3;

/** A client with resources of its own, which waits for each response before the next request. */
export class Client {
  /** What the server has to hold of theirs. */
  readonly expected: State = emptyState();
  readonly #options: ClientOptions;
  readonly #tokens = new Map<string, string>();
  /** The call without a response. */
  #lost: Call | undefined;
  /** It again, if it has a key, and what it had made. */
  #doubtful: (Call & { readonly made: Made | undefined }) | undefined;
  #finished: (Call & { readonly response: unknown })[] = [];

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Changes one thing after the other until the server is killed. */
  async work(access: Access, server: ServerProcess): Promise<void> {
    const { random, unique } = this.#options;
    while (!server.isKilled()) {
      const holdings = { state: this.expected, tokens: this.#tokens };
      const operation = chooseOperation(holdings, random, unique);
      const hasKey = operation.method === 'POST' && random.happens(0.6);
      const call = { operation, idempotencyKey: hasKey ? `key ${unique()}` : undefined };
      try {
        this.#confirm(call, await perform(access, call));
      } catch (error) {
        if (!(error instanceof ConnectionLostError) || !server.isKilled()) throw error;
        this.#lost = call;
      }
    }
  }

  /** Finds out from the server's state whether the call without a response was done. */
  learn(actual: State): void {
    if (!this.#lost) return;
    const { journal } = this.#options;
    const { operation } = this.#lost;
    const made = operation.find(actual);
    if (made) {
      operation.apply(this.expected, made);
      expectEvent(journal, operation, made);
    }
    journal[made ? 'foundDone' : 'foundUndone'] += 1;
    this.#doubtful = this.#lost.idempotencyKey === undefined ? undefined : { ...this.#lost, made };
    this.#lost = undefined;
  }

  /** Sends calls with a key again: each has one outcome, whether its response had arrived or not. */
  async repeat(access: Access): Promise<void> {
    const { journal } = this.#options;
    for (const call of this.#finished) {
      if (!replays(this.expected, call.operation, call.response)) {
        const refused = await perform(access, call, 400);
        expect(refused.body.error.details.constraint).toBe('usable');
        continue;
      }
      const { replayed, body } = await perform(access, call);
      expect({ replayed, body }).toEqual({ replayed: true, body: call.response });
      journal.replayed += 1;
    }
    if (!this.#doubtful) return;
    const { made, ...call } = this.#doubtful;
    this.#doubtful = undefined;
    const response = await perform(access, call);
    expect(response.replayed, call.operation.path).toBe(made !== undefined);
    if (made) {
      expect(response.body.id).toBe(made.id);
      this.#remember(call, response);
      journal.replayed += 1;
    } else {
      this.#confirm(call, response);
    }
  }

  #confirm(call: Call, response: HttpResponse): void {
    const { journal } = this.#options;
    const { operation } = call;
    const made = response.body ?? { id: operation.subject };
    operation.apply(this.expected, made);
    expectEvent(journal, operation, made, response.requestId);
    journal.confirmed += 1;
    this.#remember(call, response);
  }

  #remember(call: Call, { body }: HttpResponse): void {
    if (body?.shareToken) this.#tokens.set(body.id, body.shareToken);
    if (call.idempotencyKey === undefined) return;
    this.#finished = [...this.#finished, { ...call, response: body }].slice(-remembered);
  }
}

async function perform(
  access: Access,
  { operation, idempotencyKey }: Call,
  status: number = operation.status,
): Promise<HttpResponse> {
  const { method, path, body } = operation;
  const response = await send(access, { method, path, body, idempotencyKey });
  expect(response.status, `${method} ${path}: ${JSON.stringify(response.body)}`).toBe(status);
  return response;
}
