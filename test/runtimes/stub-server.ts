import type { ServerResponse } from 'node:http';
import { type IncomingRequest, listen } from './listen.ts';
import type { Controls, RecordedRequest } from './suite/control.ts';

export interface StubServerOptions {
  /** URL of the real server, for scenarios that forward requests. */
  readonly service: string;
  /** URL of another origin. Clients must not follow redirects to it. */
  readonly foreign: string;
  readonly controls: { [Name in keyof Controls]: (input: never) => object | Promise<object> };
  /** Files under `/page/` by name: a page for browsers. */
  readonly pages: ReadonlyMap<string, Page>;
}

export interface Page {
  readonly type: string;
  readonly body: string;
}

/** A request to a scenario. */
interface Call {
  readonly request: IncomingRequest;
  /** The path after the name of the scenario. */
  readonly path: string;
  /** Number of earlier requests to the scenario. */
  readonly earlier: number;
}

type Scenario = (response: ServerResponse, call: Call) => void | Promise<void>;

/**
 * Starts a server for responses that the real server never sends.
 *
 * - `/<scenario>/…` responds as the scenario defines
 * - `/control/<name>` controls the servers
 * - `/page/` is a page for browsers
 */
export async function startStubServer(options: StubServerOptions) {
  const { controls, pages } = options;
  const scenarios: Readonly<Record<string, Scenario>> = createScenarios(options);
  const requests: RecordedRequest[] = [];
  const responses: ServerResponse[] = [];
  const counts = new Map<string, number>();

  const runScenario = async (name: string, request: IncomingRequest, response: ServerResponse) => {
    const scenario = scenarios[name];
    if (!scenario) return respond(response, 404, `There is no scenario ${name}`);
    const earlier = counts.get(name) ?? 0;
    counts.set(name, earlier + 1);
    requests.push(request);
    responses.push(response);
    await scenario(response, { request, earlier, path: request.url.slice(name.length + 1) });
  };

  const listener = await listen(async (request, response) => {
    const [, area = '', name = ''] = request.url.split('/');
    if (area === 'page') {
      const page = pages.get(name);
      return respond(response, page ? 200 : 404, page?.body ?? '', page?.type);
    }
    if (area !== 'control') return runScenario(area, request, response);
    const act = controls[name as keyof Controls];
    respond(response, 200, JSON.stringify(await act(JSON.parse(request.body) as never)));
  });

  return {
    ...listener,
    requests,
    /** Forgets the requests, and ends the responses that are still open. */
    reset() {
      for (const response of responses.splice(0)) {
        if (!response.writableEnded) response.destroy();
      }
      requests.length = 0;
      counts.clear();
    },
  };
}

function respond(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'application/json',
): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

function createScenarios({ service, foreign }: StubServerOptions): Record<string, Scenario> {
  const forward: Scenario = async (response, { request, path }) => {
    const { host: _, connection: __, ...headers } = request.headers;
    const { method, body } = request;
    const init = { method, headers: headers as Record<string, string>, body: body || null };
    const forwarded = await fetch(service + path, init);
    respond(response, forwarded.status, await forwarded.text());
  };
  const redirect = (to: string): Scenario => {
    return (response, { path }) => {
      response.writeHead(307, { location: to + path }).end();
    };
  };
  const begin = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
    response.write('{"data":');
  };
  const isRefresh = ({ path }: Call) => path === '/auth/refresh';
  let lost = false;
  const expired = JSON.stringify({ error: { code: 'EXPIRED_TOKEN', message: 'It has expired' } });
  return {
    forward,
    silent: () => {},
    'stalled-body': begin,
    'broken-body': (response) => {
      begin(response);
      setTimeout(() => response.destroy(), 10);
    },
    html: (response) => respond(response, 502, '<h1>Bad Gateway</h1>', 'text/html'),
    'html-ok': (response) => respond(response, 200, '<h1>Log in</h1>', 'text/html'),
    empty: (response) => respond(response, 200, ''),
    'bad-json': (response) => respond(response, 200, '{"data":'),
    'text-ok': (response) => respond(response, 200, '"a text"'),
    'redirect-elsewhere': redirect(foreign),
    'redirect-within': redirect('/forward'),
    'unavailable-twice': (response, call) =>
      call.earlier < 2 ? respond(response, 503, '') : forward(response, call),
    'slow-refresh': async (response, call) => {
      if (isRefresh(call)) await new Promise((resolve) => setTimeout(resolve, 300));
      await forward(response, call);
    },
    'refresh-lost': async (response, call) => {
      if (isRefresh(call) && !lost) lost = true;
      else await forward(response, call);
    },
    expired: (response, { path }) => {
      if (!path.startsWith('/auth/')) respond(response, 401, expired);
    },
  };
}
