import { randomUUID } from 'node:crypto';
import { deliveryHeaders } from '../delivery.ts';
import { type EventType, eventTypes } from '../generated/events.ts';
import { fixture } from '../testing.ts';
import { defineCommand, nearestNames } from './command.ts';
import { type PostResponse, post } from './post.ts';
import {
  CommandFailure,
  printable,
  readBytes,
  signingSecret,
  type Terminal,
  UsageError,
} from './terminal.ts';

/** Milliseconds that the service waits for the response. */
export const timeoutMs = 10_000;

/** Bytes of a response that are printed, as many as the service stores. */
const printedBytes = 2 * 1024;

const typeLines = ['Event types:', ...eventTypes.map((type) => `  ${type}`)].join('\n');

export const send = defineCommand({
  name: 'send',
  summary: 'send an event to a receiver, as the service does',
  help: `Usage: webhook-verify send [TYPE] --to URL [--id ID] [--data FILE|-] [--secret SECRET]

Sends a signed event to a receiver, as the service does: it waits 10 s for the whole response,
follows no redirect, and takes any status but 2xx for a failure. Pass either TYPE or --data.

  --to URL          the receiver, http or https
  --id ID           the id of the event, to send the same event twice; default: a new one
  --data FILE|-     an event of your own, sent byte for byte; it may have any type
  --secret SECRET   the secret of the webhook; default: WEBHOOK_SECRET
  -h, --help        print this help

${typeLines}`,
  argument: 'TYPE',
  options: {
    to: { type: 'string' },
    id: { type: 'string' },
    data: { type: 'string' },
    secret: { type: 'string', multiple: true },
  },
  async run({ values, argument: type }, terminal) {
    const url = receiverUrl(values.to);
    const secret = signingSecret(values.secret, terminal);
    const { event, bytes } = await eventBody({ ...values, type }, terminal);

    const headers = {
      ...(await deliveryHeaders(event, bytes, secret)),
      'Content-Length': `${bytes.length}`,
    };
    terminal.print(`${event.type} ${event.id}`);
    const response = await post({ url, headers, body: bytes, timeoutMs });
    printResponse(response, terminal);
    assertAccepted(response);
  },
});

/** @throws {@link UsageError} for a URL that the service would refuse */
export function receiverUrl(to: string | undefined): URL {
  if (to === undefined) throw new UsageError("Pass the receiver's URL with --to.");
  // Node 20 has no URL.parse.
  const url = URL.canParse(to) ? new URL(to) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError('--to must be a complete URL, such as http://localhost:3000/hooks.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--to must not contain a user name or password: the service refuses it.');
  }
  return url;
}

/** An event to send: its bytes, and the id and type for its headers. */
interface EventBody {
  readonly event: { readonly id: string; readonly type: string };
  readonly bytes: Uint8Array;
}

interface EventSource {
  readonly type: string | undefined;
  readonly id?: string | undefined;
  readonly data?: string | undefined;
}

async function eventBody(source: EventSource, terminal: Terminal): Promise<EventBody> {
  const { type, id, data } = source;
  if (data === undefined) {
    if (type === undefined) throw new UsageError(`Pass an event type or --data.\n\n${typeLines}`);
    return fixtureBody(type, id);
  }
  if (type !== undefined || id !== undefined) {
    throw new UsageError('--data cannot be combined with a type or --id: the file has both.');
  }
  return ownBody(await readBytes(data, terminal));
}

function fixtureBody(
  type: string,
  id: string = `evt_${randomUUID().replaceAll('-', '')}`,
): EventBody {
  if (!isEventType(type)) throw unknownType(type);
  if (!isHeaderValue(id)) throw new UsageError('--id must be printable ASCII without spaces.');
  const event = { ...fixture(type), id };
  return { event, bytes: Buffer.from(JSON.stringify(event)) };
}

function ownBody(bytes: Uint8Array): EventBody {
  const event = parseEvent(bytes);
  if (event === undefined) {
    throw new UsageError('The data must be JSON with an `id` and a `type`.');
  }
  return { event, bytes };
}

export function isEventType(type: string): type is EventType {
  return eventTypes.some((known) => known === type);
}

export function unknownType(type: string): UsageError {
  const near = nearestNames(type, eventTypes);
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  return new UsageError(`Unknown event type '${printable(type)}'.${hint}\n\n${typeLines}`);
}

function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

function parseEvent(bytes: Uint8Array): EventBody['event'] | undefined {
  let event: { readonly id?: unknown; readonly type?: unknown } | null;
  try {
    event = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const { id, type } = event ?? {};
  return isHeaderValue(id) && isHeaderValue(type) ? { id, type } : undefined;
}

function printResponse(response: PostResponse, terminal: Terminal): void {
  const { status, statusText, durationMs, body } = response;
  const line = printable(`${status} ${statusText}`.trimEnd());
  terminal.print(`${line} in ${durationMs} ms`);
  if (body.length === 0) return;
  const text = new TextDecoder().decode(body.subarray(0, printedBytes));
  terminal.print(printable(text).trimEnd() + (body.length > printedBytes ? ' …' : ''));
}

function assertAccepted({ status, location }: PostResponse): void {
  if (status >= 200 && status < 300) return;
  if (status < 400) {
    const to = location === undefined ? '' : ` to ${printable(location)}`;
    throw new CommandFailure(`The redirect${to} is a failure: the service follows no redirects.`);
  }
  const cause = status === 401 ? ' Does the receiver have the same secret?' : '';
  throw new CommandFailure(`The receiver refused the event. The service would retry.${cause}`);
}
