import { encode, type RawBody } from '../body.ts';
import { alreadyRead, notBase64, tooLarge } from '../receiver/errors.ts';
import type { EventHandlers } from '../receiver/handlers.ts';
import { isBytes } from '../receiver/incoming-body.ts';
import type { ReceiverOptions } from '../receiver/options.ts';
import { createReceiver, type ReceiverResponse, writeToConsole } from '../receiver/receiver.ts';
import type { Verifier } from '../verifier.ts';

type SingleHeaders = Readonly<Record<string, string | undefined>>;
type MultiValueHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * The used part of a request of API Gateway (payload 1.0 and 2.0), a Lambda function URL, an Application
 * Load Balancer, Netlify, and Azure Functions with the programming model v3.
 */
export interface ServerlessEvent {
  /** API Gateway 1.0, load balancers and Netlify. */
  readonly httpMethod?: string | undefined;
  /** API Gateway 2.0 and function URLs. */
  readonly requestContext?: { readonly http?: { readonly method: string } | undefined } | undefined;
  /** Azure. */
  readonly method?: string | null | undefined;
  /** One value for each name, with commas between several. */
  readonly headers?: SingleHeaders | null | undefined;
  /** Instead of `headers`, or beside them. */
  readonly multiValueHeaders?: MultiValueHeaders | null | undefined;
  /** A text. Azure: the parsed body. */
  readonly body?: unknown;
  /** Whether `body` is base64 of the bytes. Default: it is their UTF-8 text. */
  readonly isBase64Encoded?: boolean | undefined;
  /** Azure: the body before it was parsed. */
  readonly rawBody?: unknown;
  /** Azure: the bytes of the body. */
  readonly bufferBody?: unknown;
}

/** A response in the form of the platform. */
export interface ServerlessResponse {
  /** For all but Azure. */
  readonly statusCode?: number;
  /** For Azure. */
  readonly status?: number;
  /** The headers of the response. */
  readonly headers?: Record<string, string>;
  /** For load balancers with multi-value headers, which ignore `headers`. */
  readonly multiValueHeaders?: Record<string, string[]>;
  /** A sentence in plain text. */
  readonly body: string;
  /** For load balancers, which require it. */
  readonly isBase64Encoded?: false;
}

/**
 * Creates a function that receives webhooks on a serverless platform. Errors go to `console.error` unless there
 * is an `onError` option. Pass a `store` that the functions share: memory ends with each of them.
 *
 * @param verifier the result of `createVerifier`
 * @param handlers a handler for each event type
 * @returns a function whose promise never rejects
 * @throws RangeError or TypeError that names the invalid option or handler
 * @example
 * ```ts
 * export const handler = serverlessReceiver(webhooks, handlers, { store });
 * ```
 */
export function serverlessReceiver(
  verifier: Verifier,
  handlers: EventHandlers,
  options?: ReceiverOptions,
): (event: ServerlessEvent) => Promise<ServerlessResponse> {
  const receive = createReceiver(verifier, handlers, options);
  return async (event) => {
    const { method, httpMethod, requestContext, headers, multiValueHeaders } = event;
    const response = await receive({
      method: httpMethod ?? requestContext?.http?.method ?? method ?? undefined,
      // Of repeated headers, `headers` has the last one alone.
      headers: multiValueHeaders ?? headers,
      readBody: async ({ maxBodySize }) => bodyOf(event, maxBodySize),
      report: writeToConsole,
    });
    return responseTo(event, response);
  };
}

function bodyOf(event: ServerlessEvent, maxBodySize: number): RawBody {
  const body = event.bufferBody ?? event.rawBody ?? event.body ?? '';
  if (typeof body !== 'string' && !isBytes(body)) throw alreadyRead();
  if (body.length > 2 * maxBodySize) throw tooLarge(maxBodySize);
  const bytes = typeof body === 'string' ? decode(body, event.isBase64Encoded) : body;
  if (bytes.length > maxBodySize) throw tooLarge(maxBodySize);
  return bytes;
}

function decode(body: string, isBase64: boolean | undefined): Uint8Array {
  if (!isBase64) return encode(body);
  try {
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw notBase64(cause);
  }
}

function responseTo(
  { method, headers: single, multiValueHeaders: multiple }: ServerlessEvent,
  { status, headers, message: body }: ReceiverResponse,
): ServerlessResponse {
  if (method) return { status, headers: { ...headers }, body };
  // API Gateway refuses responses with other properties.
  const response = { statusCode: status, body, isBase64Encoded: false } as const;
  if (single || !multiple) return { ...response, headers: { ...headers } };
  const lists = Object.entries(headers).map(([name, value]): [string, string[]] => [name, [value]]);
  return { ...response, multiValueHeaders: Object.fromEntries(lists) };
}
