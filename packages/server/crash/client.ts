import { expect } from 'vitest';
import { type Answer, ConnectionLostError, send } from './http.ts';
import { expectEvent, type Journal } from './journal.ts';
import { chooseOperation } from './load.ts';
import type { Made, Operation } from './operations.ts';
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
  /** A number that nobody had before. */
  readonly unique: () => number;
}

/** Answered calls with a key that are sent again after a restart. */
const remembered = 3;

/** Somebody with resources of their own, who waits for each answer before the next request. */
export class Client {
  /** What the server has to hold of theirs. */
  readonly expected: State = emptyState();
  readonly #options: ClientOptions;
  readonly #tokens = new Map<string, string>();
  /** The call that was not answered. */
  #lost: Call | undefined;
  /** It again, if it has a key, and what it had made. */
  #doubtful: (Call & { readonly made: Made | undefined }) | undefined;
  #answered: (Call & { readonly answer: unknown })[] = [];

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

  /** Learns from the server's state whether the call that was not answered was done. */
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

  /** Sends calls with a key again: each has one outcome, whether its answer had arrived or not. */
  async repeat(access: Access): Promise<void> {
    const { journal } = this.#options;
    for (const call of this.#answered) {
      const { replayed, body } = await perform(access, call);
      expect({ replayed, body }).toEqual({ replayed: true, body: call.answer });
      journal.replayed += 1;
    }
    if (!this.#doubtful) return;
    const { made, ...call } = this.#doubtful;
    this.#doubtful = undefined;
    const answer = await perform(access, call);
    expect(answer.replayed, call.operation.path).toBe(made !== undefined);
    if (made) {
      expect(answer.body.id).toBe(made.id);
      this.#remember(call, answer);
      journal.replayed += 1;
    } else {
      this.#confirm(call, answer);
    }
  }

  #confirm(call: Call, answer: Answer): void {
    const { journal } = this.#options;
    const { operation } = call;
    const made = answer.body ?? { id: operation.subject };
    operation.apply(this.expected, made);
    expectEvent(journal, operation, made, answer.requestId);
    journal.confirmed += 1;
    this.#remember(call, answer);
  }

  #remember(call: Call, { body }: Answer): void {
    if (body?.shareToken) this.#tokens.set(body.id, body.shareToken);
    if (call.idempotencyKey === undefined) return;
    this.#answered = [...this.#answered, { ...call, answer: body }].slice(-remembered);
  }
}

async function perform(access: Access, { operation, idempotencyKey }: Call): Promise<Answer> {
  const { method, path, body, status } = operation;
  const answer = await send(access, { method, path, body, idempotencyKey });
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(status);
  return answer;
}
