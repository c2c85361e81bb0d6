import { deliveryHeaders } from '../delivery.ts';
import { checkSecrets } from '../secrets.ts';
import { newWebhookSecret } from '../testing.ts';
import { defineCommand } from './command.ts';
import { EventFeed, type FeedEvent, ServiceUnavailable } from './event-feed.ts';
import { post } from './post.ts';
import { isEventType, receiverUrl, timeoutMs, unknownType } from './send.ts';
import { CommandFailure, printable, signingSecret, type Terminal, UsageError } from './terminal.ts';

/** Longest wait for a service that cannot be reached, in milliseconds. */
const maxBackoff = 60_000;

export const listen = defineCommand({
  name: 'listen',
  summary: 'forward the events of your account to a receiver on this machine',
  help: `Usage: webhook-verify listen --to URL [--from URL] [--type TYPE] [--since TIME] [--secret SECRET]

Forwards the events of your account to a receiver, as a webhook would, until you stop it with
Ctrl+C. It needs no webhook and no public address: it lists new events every 10 s, less often when
the rate limit is low, and signs them with the secret. An event is sent once. The API key in
VAULT_API_KEY needs webhooks:read and the read scopes of the events.

  --to URL          the receiver, http or https
  --from URL        the service; default: VAULT_URL, or http://localhost:4000
  --type TYPE       forward events of this type only
  --since TIME      begin with events of the past 30 days, from this ISO 8601 time; default: now
  --secret SECRET   the secret of the receiver; default: WEBHOOK_SECRET, or a new one, which is
                    printed
  -h, --help        print this help`,
  options: {
    to: { type: 'string' },
    from: { type: 'string' },
    type: { type: 'string' },
    since: { type: 'string' },
    secret: { type: 'string', multiple: true },
  },
  async run({ values }, terminal) {
    const to = receiverUrl(values.to);
    const service = serviceUrl(values.from, terminal);
    const feed = new EventFeed({
      service,
      apiKey: apiKeyOf(terminal),
      type: eventType(values.type),
      since: timeOf(values.since),
    });
    const secret = localSecret(values.secret, terminal);
    const send = (event: FeedEvent) => forward(event, { to, secret, terminal });
    // Ends the command when the service refuses the API key or cannot be reached.
    const first = await feed.poll().catch(asFailure);
    terminal.print(`Forwarding the events of ${service.origin} to ${to.href}`);
    for (const event of first.events) await send(event);
    await terminal.sleep(first.waitMs);
    await follow(feed, send, terminal);
  },
});

/** Polls until a sleep or the service ends the command. */
async function follow(
  feed: EventFeed,
  send: (event: FeedEvent) => Promise<void>,
  terminal: Terminal,
): Promise<never> {
  for (let failures = 0; ; ) {
    let waitMs: number;
    try {
      const poll = await feed.poll();
      failures = 0;
      waitMs = poll.waitMs;
      for (const event of poll.events) await send(event);
    } catch (error) {
      if (!(error instanceof ServiceUnavailable)) throw error;
      failures += 1;
      waitMs = Math.min(maxBackoff, 10_000 * failures);
      terminal.printError(`${error.message} Next try in ${waitMs / 1000} s.`);
    }
    await terminal.sleep(waitMs);
  }
}

interface Forwarding {
  readonly to: URL;
  readonly secret: string;
  readonly terminal: Terminal;
}

/** Sends an event once. A failure is printed. */
async function forward(event: FeedEvent, { to, secret, terminal }: Forwarding): Promise<void> {
  const body = Buffer.from(JSON.stringify(event));
  const headers = {
    ...(await deliveryHeaders(event, body, secret)),
    'Content-Length': `${body.length}`,
  };
  const name = printable(`${event.type} ${event.id}`);
  try {
    const { status, statusText, durationMs } = await post({ url: to, headers, body, timeoutMs });
    const line = printable(`${status} ${statusText}`.trimEnd());
    const print = status >= 200 && status < 300 ? terminal.print : terminal.printError;
    print(`${name}: ${line} in ${durationMs} ms`);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    terminal.printError(`${name}: ${error.message}`);
  }
}

function asFailure(error: unknown): never {
  if (!(error instanceof ServiceUnavailable)) throw error;
  throw new CommandFailure(error.message, { cause: error });
}

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

function serviceUrl(from: string | undefined, { env }: Terminal): URL {
  const name = from === undefined ? 'VAULT_URL' : '--from';
  const text = from ?? env.VAULT_URL ?? 'http://localhost:4000';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      `${name} must be the URL of a service, such as https://vault.example.com.`,
    );
  }
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) {
    throw new UsageError(`${name} must be https: the API key would be sent unencrypted.`);
  }
  return url;
}

function apiKeyOf({ env }: Terminal): string {
  const { VAULT_API_KEY: apiKey } = env;
  if (apiKey === undefined || apiKey === '') throw new UsageError('VAULT_API_KEY is not set.');
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError('VAULT_API_KEY must be printable ASCII without spaces.');
  }
  return apiKey;
}

function eventType(type: string | undefined): string | undefined {
  if (type === undefined || isEventType(type)) return type;
  throw unknownType(type);
}

function timeOf(since: string | undefined): number | undefined {
  if (since === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\dT/.test(since) ? Date.parse(since) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UsageError('--since must be an ISO 8601 time, such as 2026-03-02T09:00:00Z.');
}

/** Returns the secret of the receiver. A new one is printed, so that it can be set there. */
function localSecret(typed: readonly string[] | undefined, terminal: Terminal): string {
  if (typed !== undefined || terminal.env.WEBHOOK_SECRET) {
    return signingSecret(typed, terminal);
  }
  const [secret = ''] = checkSecrets([newWebhookSecret()]);
  terminal.print(`Signing with a new secret. Start the receiver with WEBHOOK_SECRET=${secret}`);
  return secret;
}
