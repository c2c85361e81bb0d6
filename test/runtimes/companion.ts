import type { ServerResponse } from 'node:http';
import { type IncomingRequest, listen } from './listen.ts';
import type { Arrival, Controls } from './suite/control.ts';

export interface CompanionOptions {
  /** The real server, for scenes that let a request through. */
  readonly service: string;
  /** Where redirects lead that no client may follow. */
  readonly foreign: string;
  readonly controls: { [Name in keyof Controls]: (input: never) => object | Promise<object> };
  /** What is served under `/page/`, by its name: a page of its own origin for browsers. */
  readonly pages: ReadonlyMap<string, Page>;
}

export interface Page {
  readonly type: string;
  readonly body: string;
}

/** A request in a scene. */
interface Visit {
  readonly request: IncomingRequest;
  /** The path behind the scene's name. */
  readonly path: string;
  /** How many requests the scene had before this one. */
  readonly before: number;
}

type Scene = (response: ServerResponse, visit: Visit) => void | Promise<void>;

/**
 * Starts the server that stands beside the real one: `/<scene>/…` does what the real server never
 * would, `/control/<name>` orders what clients cannot, `/page/` is the page of a browser.
 */
export async function startCompanion(options: CompanionOptions) {
  const { controls, pages } = options;
  const scenes: Readonly<Record<string, Scene>> = createScenes(options);
  const arrivals: Arrival[] = [];
  const held: ServerResponse[] = [];
  const visits = new Map<string, number>();

  const meet = async (name: string, request: IncomingRequest, response: ServerResponse) => {
    const scene = scenes[name];
    if (!scene) return answer(response, 404, 'no such scene');
    const before = visits.get(name) ?? 0;
    visits.set(name, before + 1);
    arrivals.push(request);
    held.push(response);
    await scene(response, { request, before, path: request.url.slice(name.length + 1) });
  };

  const listener = await listen(async (request, response) => {
    const [, area = '', name = ''] = request.url.split('/');
    if (area === 'page') {
      const page = pages.get(name);
      return answer(response, page ? 200 : 404, page?.body ?? '', page?.type);
    }
    if (area !== 'control') return meet(area, request, response);
    const act = controls[name as keyof Controls];
    answer(response, 200, JSON.stringify(await act(JSON.parse(request.body) as never)));
  });

  return {
    ...listener,
    arrivals,
    /** Forgets what was, and ends what still waits for an answer. */
    reset() {
      for (const response of held.splice(0)) if (!response.writableEnded) response.destroy();
      arrivals.length = 0;
      visits.clear();
    },
  };
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'application/json',
): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

function createScenes({ service, foreign }: CompanionOptions): Record<string, Scene> {
  const forward: Scene = async (response, { request, path }) => {
    const { host: _, connection: __, ...headers } = request.headers;
    const { method, body } = request;
    const init = { method, headers: headers as Record<string, string>, body: body || null };
    const forwarded = await fetch(service + path, init);
    answer(response, forwarded.status, await forwarded.text());
  };
  const redirect = (to: string): Scene => {
    return (response, { path }) => {
      response.writeHead(307, { location: to + path }).end();
    };
  };
  const begin = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
    response.write('{"data":');
  };
  const isRefresh = ({ path }: Visit) => path === '/auth/refresh';
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
    html: (response) => answer(response, 502, '<h1>Bad Gateway</h1>', 'text/html'),
    'html-ok': (response) => answer(response, 200, '<h1>Log in</h1>', 'text/html'),
    empty: (response) => answer(response, 200, ''),
    'bad-json': (response) => answer(response, 200, '{"data":'),
    'text-ok': (response) => answer(response, 200, '"a text"'),
    'redirect-elsewhere': redirect(foreign),
    'redirect-within': redirect('/forward'),
    'unavailable-twice': (response, visit) =>
      visit.before < 2 ? answer(response, 503, '') : forward(response, visit),
    'slow-refresh': async (response, visit) => {
      if (isRefresh(visit)) await new Promise((resolve) => setTimeout(resolve, 300));
      await forward(response, visit);
    },
    'refresh-lost': async (response, visit) => {
      if (isRefresh(visit) && !lost) lost = true;
      else await forward(response, visit);
    },
    expired: (response, { path }) => {
      if (!path.startsWith('/auth/')) answer(response, 401, expired);
    },
  };
}
