import type { RawBody } from '../body.ts';
import type { ReceivedEvent } from '../event.ts';
import type { SignatureHeader } from '../signature.ts';
import type { VerifiedBody, Verifier } from '../verifier.ts';
import { type Answer, answerToRefused, answerToUnhandled, done } from './answers.ts';
import { type RunOnce, runOnce } from './claims.ts';
import { writeToConsole } from './console.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { toError, WebhookReceiverError } from './errors.ts';
import { callHandler, checkHandlers, type EventHandlers, handlerOf } from './handlers.ts';
import { IncomingBody } from './incoming-body.ts';
import { checkOptions, type FailedDelivery, type ReceiverOptions } from './options.ts';

/** What an adapter reads a body with. */
export interface Reading {
  /** Takes the chunks as they arrive. */
  readonly body: IncomingBody;
  /** The largest body that is accepted, in bytes. */
  readonly maxBodySize: number;
  /** Aborts when the deadline of the request has passed. */
  readonly signal: AbortSignal;
}

/** One request, as an adapter sees it. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly signature: SignatureHeader;
  /** Reads the raw body, or rejects with an error that says why there is none to be had. */
  readBody(reading: Reading): Promise<RawBody>;
  /** Writes to the framework's log; not called when there is an `onError` option. */
  report(error: Error, delivery: FailedDelivery): void;
}

/** Answers one request; never rejects. */
export type Receiver = (request: ReceivedRequest) => Promise<Answer>;

/**
 * Makes what every adapter is around: verifies a request, runs the handler of its event once, and
 * says how to answer, before the deadline. Nothing is handled, and no success reported, before the
 * signature is verified; a handler that fails makes the sender try again.
 *
 * @throws RangeError or TypeError that names the option or the handler which cannot be used
 */
export function createReceiver(
  verifier: Pick<Verifier, 'verifySignature'>,
  handlers: EventHandlers,
  options: ReceiverOptions = {},
): Receiver {
  const { maxBodySize, timeout, store, onError } = checkOptions(options);
  checkHandlers(handlers);
  const once = runOnce(store);

  return async (request) => {
    const report = onError ?? request.report;
    const time = startDeadline(timeout);
    try {
      const body = await verifiedBody(verifier, request, maxBodySize, time.signal);
      return await handle({ body, event: body.event(), handlers, once, time, report });
    } catch (thrown) {
      const error = toError(thrown);
      const answer = answerToRefused(error);
      tell(report, error, { status: answer.status, event: undefined });
      return answer;
    } finally {
      time.clear();
    }
  };
}

async function verifiedBody(
  verifier: Pick<Verifier, 'verifySignature'>,
  { method, signature, readBody }: ReceivedRequest,
  maxBodySize: number,
  signal: AbortSignal,
): Promise<VerifiedBody> {
  if (method !== 'POST') {
    throw new WebhookReceiverError('method_not_allowed', 'Webhooks are sent with POST.');
  }
  const body = new IncomingBody(maxBodySize);
  try {
    const rawBody = await readBody({ body, maxBodySize, signal });
    const verified = await verifier.verifySignature(rawBody, signature);
    body.release();
    return verified;
  } catch (error) {
    body.discard();
    throw error;
  }
}

interface VerifiedDelivery {
  readonly body: VerifiedBody;
  readonly event: ReceivedEvent;
  readonly handlers: EventHandlers;
  readonly once: RunOnce;
  readonly time: Deadline;
  readonly report: Report;
}

async function handle(delivery: VerifiedDelivery): Promise<Answer> {
  const { body, event, handlers, once, time, report } = delivery;
  const { signal } = time;
  const handler = handlerOf(handlers, event);
  if (handler === undefined) return done;
  const status = () => (signal.aborted ? 500 : 200);
  let safe = false;
  try {
    const run = async () => {
      const onLateError = (error: Error) => tell(report, error, { status: status(), event });
      const { secretIndex } = body;
      await callHandler(handler, { event, secretIndex, signal, onLateError });
      safe = true;
    };
    const onStoreError = (error: Error) =>
      tell(report, error, { status: safe ? status() : 500, event });
    await time.limit(once({ id: event.id, run, onStoreError }));
    return done;
  } catch (thrown) {
    const error = toError(thrown);
    const answer = answerToUnhandled(error);
    tell(report, error, { status: answer.status, event });
    return answer;
  }
}

type Report = (error: Error, delivery: FailedDelivery) => unknown;

/** Reporting changes no answer: what it throws goes to the console. */
function tell(report: Report, error: Error, delivery: FailedDelivery): void {
  const reported = async () => report(error, delivery);
  reported().catch(writeToConsole);
}
