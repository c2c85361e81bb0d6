import { deliveryHeaders } from '../delivery-headers.ts';
import { sign } from '../sign.ts';
import { onlyArgument, parseArguments } from './arguments.ts';
import { type EventBody, fixtureBody, ownBody, typeLines } from './event-body.ts';
import { CommandFailure, UsageError } from './failures.ts';
import { readBytes } from './input.ts';
import { type Answer, post } from './post.ts';
import { printable } from './printable.ts';
import { secretOption, signingSecret } from './secrets.ts';
import type { Terminal } from './terminal.ts';

const help = `\
Usage: webhook-verify send TYPE --to URL [--id ID] [--secret SECRET]
       webhook-verify send --data FILE|- --to URL [--secret SECRET]

Sends a signed event to a receiver, as the service does: it waits 10 s for the whole answer, follows
no redirect, and takes any answer but 2xx for a failure.

  --to URL          where the receiver is, http or https
  --id ID           the id of the event, to send the same one twice; default: a new one
  --data FILE       an event of your own, sent byte for byte, of any type
  --secret SECRET   the secret of the webhook; default: WEBHOOK_SECRET of the environment

Event types:
${typeLines}`;

/** As long as the service waits. */
const timeoutMs = 10_000;
/** Bytes of an answer that are shown, as many as the service keeps. */
const shownBytes = 2 * 1024;

const options = {
  ...secretOption,
  to: { type: 'string' },
  id: { type: 'string' },
  data: { type: 'string' },
} as const;

export async function runSend(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArguments(args, options);
  if (values.help) return terminal.print(help);
  const type = onlyArgument(positionals, 'TYPE');
  const url = receiverUrl(values.to);
  const secret = signingSecret(values.secret, terminal);
  const { facts, bytes } = await eventBody({ ...values, type }, terminal);

  const headers = {
    ...deliveryHeaders(facts, sign(bytes, secret)),
    'Content-Length': `${bytes.length}`,
  };
  terminal.print(`${facts.type} ${facts.id}`);
  const answer = await post({ url, headers, body: bytes, timeoutMs });
  printAnswer(answer, terminal);
  assertAccepted(answer);
}

function receiverUrl(to: string | undefined): URL {
  if (to === undefined) throw new UsageError('No receiver: give its URL with --to.');
  // Node 20 has no URL.parse.
  const url = URL.canParse(to) ? new URL(to) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError('--to takes a whole URL, such as http://localhost:3000/hooks.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('The service takes no URL with a user name or a password.');
  }
  return url;
}

interface Wanted {
  readonly type: string | undefined;
  readonly id?: string | undefined;
  readonly data?: string | undefined;
}

async function eventBody({ type, id, data }: Wanted, terminal: Terminal): Promise<EventBody> {
  if (data === undefined) {
    if (type === undefined) {
      throw new UsageError(`No event: give a type or --data.\n\nEvent types:\n${typeLines}`);
    }
    return fixtureBody(type, id);
  }
  if (type !== undefined || id !== undefined) {
    throw new UsageError('With --data, the type and the id are those of the file: give neither.');
  }
  return ownBody(await readBytes(data, terminal));
}

function printAnswer({ status, statusText, durationMs, body }: Answer, terminal: Terminal): void {
  const line = printable(`${status} ${statusText}`.trimEnd());
  terminal.print(`${line} in ${durationMs} ms`);
  if (body.length === 0) return;
  const text = new TextDecoder().decode(body.subarray(0, shownBytes));
  terminal.print(printable(text).trimEnd() + (body.length > shownBytes ? ' …' : ''));
}

function assertAccepted({ status, location }: Answer): void {
  if (status >= 200 && status < 300) return;
  if (status < 400) {
    const to = location === undefined ? '' : ` (to ${printable(location)})`;
    throw new CommandFailure(`A redirect${to} is a failure: the service does not follow it.`);
  }
  const cause = status === 401 ? ' Does the receiver have the same secret?' : '';
  throw new CommandFailure(`Not accepted: the service would send it again.${cause}`);
}
