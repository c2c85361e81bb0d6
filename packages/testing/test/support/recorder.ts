import { createHash } from 'node:crypto';

/** A request of a scenario and its response. */
export interface Step {
  readonly label: string;
  readonly status: number;
  readonly body: unknown;
  readonly replayed: string | null;
  readonly tier: string | null;
  /** The headers `RateLimit` and `RateLimit-Policy`. */
  readonly windows: unknown;
  /** How many requests of its credentials the hour and the minute have counted since the one before. */
  readonly counted: readonly number[] | null;
  /** The headers of a content. */
  readonly content: Readonly<Record<string, string>> | null;
}

export interface Service {
  readonly baseUrl: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly advance: (milliseconds: number) => void;
}

interface SendOptions {
  readonly as?: string | undefined;
  readonly key?: string | undefined;
  /** A text and bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: a scenario reads responses of every shape
type Body = any;

/** Sends requests to a service and records its responses. */
export class Recorder {
  readonly steps: Step[] = [];
  readonly #service: Service;
  /** Remaining requests by credentials. */
  readonly #remaining = new Map<string, readonly number[]>();
  #etag: string | null = null;

  constructor(service: Service) {
    this.#service = service;
  }

  advance(milliseconds: number): void {
    this.#service.advance(milliseconds);
  }

  /** Returns the entity tag of the last response. */
  etag(): string | null {
    return this.#etag;
  }

  /** @param operation - method and path, such as `POST /api/v1/vaults` */
  async send(operation: string, { as, key, body, headers = {} }: SendOptions = {}): Promise<Body> {
    const [method = '', path = ''] = operation.split(' ');
    const isBinary = body instanceof Uint8Array;
    const response = await this.#service.fetch(this.#service.baseUrl + path, {
      method,
      headers: {
        ...(as !== undefined && { authorization: `Bearer ${as}` }),
        ...(key !== undefined && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': isBinary ? binary : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: asSent(body) }),
    });
    const result = await resultOf(response);
    this.#etag = response.headers.get('etag');
    this.steps.push({
      label: `${this.steps.length} ${operation.replaceAll(/[\w-]{20,}/g, '…')}`,
      status: response.status,
      body: result instanceof Uint8Array ? `${result.length} bytes: ${sha256(result)}` : result,
      replayed: response.headers.get('idempotency-replayed'),
      tier: response.headers.get('x-ratelimit-tier'),
      windows: windowsOf(response.headers),
      counted: this.#counted(key ?? as ?? '', response.headers),
      content: contentHeadersOf(response.headers),
    });
    return result;
  }

  #counted(credentials: string, headers: Headers): readonly number[] | null {
    const names = ['x-ratelimit-remaining', 'x-ratelimit-minute-remaining'];
    const remaining = names.map((name) => Number(headers.get(name)));
    const before = this.#remaining.get(credentials);
    this.#remaining.set(credentials, remaining);
    return before ? before.map((count, index) => count - (remaining[index] ?? 0)) : null;
  }

  /** Registers and signs in. */
  async signUp(email: string): Promise<{ id: string; as: string; refreshToken: string }> {
    const password = 'correct horse battery';
    const user = await this.send('POST /auth/register', {
      body: { email, password, name: ' Ada ' },
    });
    const tokens = await this.send('POST /auth/login', { body: { email, password } });
    return { id: user.id, as: tokens.accessToken, refreshToken: tokens.refreshToken };
  }
}

/** The windows as the draft of the IETF writes them: whether their numbers are those of the other headers, and their ends. */
function windowsOf(headers: Headers) {
  const number = (name: string) => headers.get(`x-ratelimit-${name}`);
  const limit = headers.get('ratelimit') ?? '';
  const left = `"hour";r=${number('remaining')}, "minute";r=${number('minute-remaining')}`;
  const policy = `"hour";q=${number('limit')};w=3600, "minute";q=${number('minute-limit')};w=60`;
  return {
    left: limit.replaceAll(/;t=\d+/g, '') === left,
    policy: headers.get('ratelimit-policy') === policy,
    ends: limit.match(/t=\d+/g),
  };
}

const binary = 'application/octet-stream';

function asSent(body: unknown): BodyInit {
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

async function resultOf(response: Response): Promise<Body> {
  if (response.headers.get('content-type') === binary) {
    return new Uint8Array(await response.arrayBuffer());
  }
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Digests are in hexadecimal here: `comparable` would replace them by numbers. */
function contentHeadersOf(headers: Headers): Record<string, string> | null {
  if (!headers.has('accept-ranges')) return null;
  const names = ['accept-ranges', 'content-disposition', 'content-range', 'etag', 'repr-digest'];
  return Object.fromEntries(
    names.map((name) => {
      const value = headers.get(name) ?? 'none';
      const digest = /^(?:"|sha-256=:)([\w+/-]{43})/.exec(value)?.[1];
      return [name, digest ? Buffer.from(digest, 'base64').toString('hex') : value];
    }),
  );
}

/** The same recorder with what no two services have alike replaced: each id and secret by a number. */
export function comparable(steps: readonly Step[]): unknown[] {
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    const kind = /^(evt|dlv|key|req|service)_/.exec(text)?.[1] ?? 'id';
    const name = names.get(text) ?? `<${kind} ${names.size}>`;
    names.set(text, name);
    return name;
  };
  const secrets =
    /[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}|(?:evt|dlv|key|req)_[\da-f]{32}|service_[cs][sk]_\w+|c1_[\w-]+|[\w-]{36,}\.[\w-]+\.[\w-]+|(?<![\w-])[\w-]{43}(?![\w-])/g;
  // The server makes equal tickets for a share within a millisecond, and the kit does not.
  const tickets = /(?<=\/contents\/)[\w-]+/g;
  return steps.map((step) => {
    const text = JSON.stringify(step, hidden).replaceAll(tickets, '<ticket>');
    return JSON.parse(text.replaceAll(secrets, nameOf));
  });
}

/** Hides the version, which the kit does not have, and values that differ between runs. */
function hidden(name: string, value: unknown): unknown {
  return ['version', 'durationMs', 'requestId'].includes(name) ? `<${name}>` : value;
}
