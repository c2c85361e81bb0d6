/** A request of a scenario and its response. */
export interface Step {
  readonly label: string;
  readonly status: number;
  readonly body: unknown;
  readonly replayed: string | null;
  readonly tier: string | null;
}

export interface Service {
  readonly baseUrl: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly advance: (milliseconds: number) => void;
}

interface SendOptions {
  readonly as?: string | undefined;
  readonly key?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: a scenario reads responses of every shape
type Body = any;

/** Sends requests to a service and records its responses. */
export class Recorder {
  readonly steps: Step[] = [];
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  advance(milliseconds: number): void {
    this.#service.advance(milliseconds);
  }

  /** @param operation - method and path, such as `POST /api/v1/vaults` */
  async send(operation: string, { as, key, body, headers = {} }: SendOptions = {}): Promise<Body> {
    const [method = '', path = ''] = operation.split(' ');
    const isText = typeof body === 'string';
    const response = await this.#service.fetch(this.#service.baseUrl + path, {
      method,
      headers: {
        ...(as !== undefined && { authorization: `Bearer ${as}` }),
        ...(key !== undefined && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const result = text === '' ? undefined : JSON.parse(text);
    this.steps.push({
      label: `${this.steps.length} ${operation.replaceAll(/[\w-]{20,}/g, '…')}`,
      status: response.status,
      body: result,
      replayed: response.headers.get('idempotency-replayed'),
      tier: response.headers.get('x-ratelimit-tier'),
    });
    return result;
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
    /[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}|(?:evt|dlv|key|req)_[\da-f]{32}|service_sk_\w+|[\w-]{36,}\.[\w-]+\.[\w-]+|(?<![\w-])[\w-]{43}(?![\w-])/g;
  return steps.map((step) => JSON.parse(JSON.stringify(step, hidden).replaceAll(secrets, nameOf)));
}

/** Hides the version, which the kit does not have, and values that differ between runs. */
function hidden(name: string, value: unknown): unknown {
  return ['version', 'durationMs', 'requestId'].includes(name) ? `<${name}>` : value;
}
