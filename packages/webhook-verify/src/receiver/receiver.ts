/** One webhook request, independent of the framework: read, verify, handle once, respond in time. */
import type { RawBody } from '../body.ts';
import type { WebhookVerificationErrorCode } from '../errors.ts';
import type { HeaderSource } from '../headers.ts';
import type { Verified, Verifier } from '../verifier.ts';
import { toError, WebhookReceiverError } from './errors.ts';
import { type RunOnce, runOnce } from './event-store.ts';
import { callHandler, checkHandlers, type EventHandlers, handlerOf } from './handlers.ts';
import { IncomingBody } from './incoming-body.ts';
import { checkOptions, type FailedDelivery, type ReceiverOptions } from './options.ts';

/** The means by which an adapter reads a body. */
export interface Reading {
  /** Collects the chunks. */
  readonly body: IncomingBody;
  /** The largest accepted body, in bytes. */
  readonly maxBodySize: number;
  /** Aborts when the `timeout` of the request has passed. */
  readonly signal: AbortSignal;
}

/** A request as an adapter passes it on. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly headers: HeaderSource;
  /** Reads the raw body. Rejects with the reason when it is not available. */
  readBody(reading: Reading): Promise<RawBody>;
  /** Writes to the framework's log. Not called when there is an `onError` option. */
  report(error: Error, delivery: FailedDelivery): void;
}

/** The response that an adapter sends. */
export interface ReceiverResponse {
  readonly status: 200 | 400 | 401 | 405 | 500;
  readonly headers: Readonly<Record<string, string>>;
  /** The body: a sentence that does not tell an attacker which check failed. */
  readonly message: string;
}

/** Processes one request. Never rejects. */
export type Receiver = (request: ReceivedRequest) => Promise<ReceiverResponse>;

/**
 * Creates the part that all adapters share. Before the signature is verified, no handler runs and the
 * response is not 200. A handler that fails makes the sender retry.
 *
 * @throws RangeError or TypeError that names the invalid option or handler
 */
export function createReceiver(
  verifier: Verifier,
  handlers: EventHandlers,
  options: ReceiverOptions = {},
): Receiver {
  const { maxBodySize, timeout, store, onError } = checkOptions(options);
  checkHandlers(handlers);
  const once = runOnce(store);

  return async (request) => {
    const report = onError ?? request.report;
    const time = startTimeout(timeout);
    try {
      const verified = await readAndVerify(verifier, request, maxBodySize, time.signal);
      return await handle({ verified, handlers, once, time, report });
    } catch (thrown) {
      const error = toError(thrown);
      const response = responseToInvalid(error);
      reportSafely(report, error, { status: response.status, event: undefined });
      return response;
    } finally {
      time.clear();
    }
  };
}

async function readAndVerify(
  verifier: Verifier,
  { method, headers, readBody }: ReceivedRequest,
  maxBodySize: number,
  signal: AbortSignal,
): Promise<Verified> {
  if (method !== 'POST') {
    throw new WebhookReceiverError('method_not_allowed', 'Webhooks are sent with POST.');
  }
  const body = new IncomingBody(maxBodySize);
  try {
    const rawBody = await readBody({ body, maxBodySize, signal });
    return await verifier.verifyDetailed(rawBody, headers);
  } finally {
    body.discard();
  }
}

interface VerifiedDelivery {
  readonly verified: Verified;
  readonly handlers: EventHandlers;
  readonly once: RunOnce;
  readonly time: Timeout;
  readonly report: Report;
}

async function handle(delivery: VerifiedDelivery): Promise<ReceiverResponse> {
  const { verified, handlers, once, time, report } = delivery;
  const { event } = verified;
  const { signal } = time;
  const handler = handlerOf(handlers, event);
  if (handler === undefined) return ok;
  const status = () => (signal.aborted ? 500 : 200);
  let safe = false;
  try {
    const run = async () => {
      const onLateError = (error: Error) =>
        reportSafely(report, error, { status: status(), event });
      await callHandler(handler, { ...verified, signal, onLateError });
      safe = true;
    };
    const onStoreError = (error: Error) =>
      reportSafely(report, error, { status: safe ? status() : 500, event });
    await time.limit(once({ id: event.id, run, onStoreError }));
    return ok;
  } catch (thrown) {
    const error = toError(thrown);
    const response = responseToUnhandled(error);
    reportSafely(report, error, { status: response.status, event });
    return response;
  }
}

/** The timeout of one request. */
export interface Timeout {
  /** Aborts when the time is up, with a {@link WebhookReceiverError} `timeout`. */
  readonly signal: AbortSignal;
  /** Resolves as the work does, or rejects when the time is up. The work continues. */
  limit<T>(work: Promise<T>): Promise<T>;
  /** Removes the timer. */
  clear(): void;
}

/** Starts a timeout, in milliseconds. */
export function startTimeout(milliseconds: number): Timeout {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => {
    const message = `The event was not handled within ${milliseconds} ms.`;
    controller.abort(new WebhookReceiverError('timeout', message));
  }, milliseconds);
  return {
    signal,
    limit: (work) =>
      new Promise((resolve, reject) => {
        const expire = () => reject(signal.reason);
        if (signal.aborted) expire();
        signal.addEventListener('abort', expire);
        work.then(resolve, reject);
      }),
    clear: () => clearTimeout(timer),
  };
}

function response(
  status: ReceiverResponse['status'],
  message: string,
  headers = {},
): ReceiverResponse {
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, message };
}

const ok = response(200, 'OK');

/** Returns the response to a request without a verified event. */
function responseToInvalid(error: Error): ReceiverResponse {
  if (error instanceof WebhookReceiverError) {
    if (error.code === 'method_not_allowed') return response(405, error.message, { Allow: 'POST' });
    return response(error.code === 'overloaded' ? 500 : 400, error.message);
  }
  if (error.name !== 'WebhookVerificationError') return response(500, 'Verification failed.');
  const { code } = error as Error & { code: WebhookVerificationErrorCode };
  if (code === 'body_not_raw') return response(500, error.message);
  if (code.startsWith('secret')) return response(500, 'The receiver has no valid secret.');
  if (code === 'invalid_event') return response(400, error.message);
  return response(401, 'Unauthorized');
}

/** Returns the response to a verified event that may not have been handled. The sender retries. */
function responseToUnhandled(error: Error): ReceiverResponse {
  const known = error instanceof WebhookReceiverError;
  return response(500, known ? error.message : 'The handler failed.');
}

type Report = (error: Error, delivery: FailedDelivery) => unknown;

/** Reports an error. An error of the report itself goes to the console. */
function reportSafely(report: Report, error: Error, delivery: FailedDelivery): void {
  const reported = async () => report(error, delivery);
  reported().catch(writeToConsole);
}

/** The log of frameworks without one. */
export function writeToConsole(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: A receiver must not refuse requests silently.
  console.error(error);
}
