import { setImmediate } from 'node:timers/promises';
import type { EventHandlers, FailedDelivery, ReceiverOptions } from '../../../src/index.ts';
import { createReceiver } from '../../../src/receiver/receiver.ts';
import { secret } from '../builds.ts';
import { vaultDeleted } from '../events.ts';
import { sign } from '../sign.ts';
import { verifier } from './receiver.ts';

export interface DirectReceiver {
  /** Delivers a vault.deleted event, and resolves to the status and the body of the response. */
  deliver(id?: string, signature?: string): Promise<string>;
  /** The reported errors, as `<status> <message>`. */
  readonly reports: readonly string[];
}

/** A receiver without a server, whose time a test moves. */
export function directReceiver(
  handler: NonNullable<EventHandlers['default']>,
  options: ReceiverOptions = {},
): DirectReceiver {
  const reports: string[] = [];
  const report = (error: Error, { status }: FailedDelivery) =>
    void reports.push(`${status} ${error.message}`);
  const receive = createReceiver(verifier, { 'vault.deleted': handler }, options);
  return {
    reports,
    async deliver(id = vaultDeleted.id, signature) {
      const body = JSON.stringify({ ...vaultDeleted, id });
      const { status, message } = await receive({
        method: 'POST',
        headers: { 'x-service-signature': signature ?? sign(body, secret) },
        readBody: async () => body,
        report,
      });
      return `${status} ${message}`;
    },
  };
}

/** Waits until all pending promises have settled. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

/** A handler that a test ends. */
export interface HeldHandler {
  readonly handler: NonNullable<EventHandlers['default']>;
  /** One for each run of the handler. */
  readonly runs: readonly HeldRun[];
}

export interface HeldRun {
  readonly signal: AbortSignal;
  acknowledge(): void;
  succeed(): void;
  fail(error: Error): void;
}

export function heldHandler(): HeldHandler {
  const runs: HeldRun[] = [];
  return {
    runs,
    handler: (_event, { signal, acknowledge }) =>
      new Promise<void>((resolve, reject) => {
        runs.push({ signal, acknowledge, succeed: resolve, fail: reject });
      }),
  };
}
