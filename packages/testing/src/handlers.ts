import { type HttpHandler, http } from 'msw/http';
import { contractRoutes, methodsOf, type OperationId, type Route, valuesIn } from './contract.ts';
import type { Faults } from './faults.ts';
import { handleApp, oauthPaths } from './oauth.ts';
import { handleRequest, type ReceivedRequest } from './service.ts';
import type { State } from './state.ts';

/** A request that was sent to the service. */
export interface SentRequest {
  /** Name of the operation; undefined for an endpoint of OAuth and an unknown path. */
  readonly operation: OperationId | undefined;
  /** HTTP method, in capitals. */
  readonly method: string;
  /** The whole URL. */
  readonly url: string;
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The parsed JSON, or the text if it is not JSON; a `Uint8Array` for a part of an upload; undefined
   * without a body.
   */
  readonly body: unknown;
}

/** State of the handlers, and the log of requests. */
export interface Backing {
  readonly state: State;
  readonly faults: Faults;
  readonly requests: SentRequest[];
}

/** A handler for each path of the contract and of OAuth, and one for all other paths below `baseUrl`. */
export function createHandlers(backing: Backing): HttpHandler[] {
  const { baseUrl } = backing.state;
  const handlers = contractRoutes().flatMap((route) => {
    const path = baseUrl + route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const methods = route.method === 'get' ? (['get', 'head'] as const) : [route.method];
    return methods.map((method) =>
      http[method](path, ({ request }) => respond(backing, request, route)),
    );
  });
  return [
    http.options(`${baseUrl}/*`, ({ request }) => preflight(request, backing.state)),
    ...handlers,
    ...oauthPaths.map((path) =>
      http.post(`${baseUrl}${path}`, ({ request }) => respondToApp(backing, request, path)),
    ),
    http.all(`${baseUrl}/*`, ({ request }) => respond(backing, request)),
  ];
}

async function respondToApp(
  backing: Backing,
  request: Request,
  path: (typeof oauthPaths)[number],
): Promise<Response> {
  const { url, headers } = request;
  const body = await request.text();
  backing.requests.push(logEntry(request, { operation: undefined, body }));
  return handleApp(backing, { path, headers, query: new URL(url).search, body });
}

function logEntry(
  { method, url, headers }: Request,
  { operation, body }: Pick<SentRequest, 'operation' | 'body'>,
): SentRequest {
  return { operation, method, url, headers: Object.fromEntries(headers), body };
}

/** Responds to a CORS preflight, which jsdom sends, too. */
function preflight({ url, headers: requested }: Request, state: State): Response {
  const path = pathBelow(state, new URL(url));
  const isOfApp = oauthPaths.some((known) => known === path);
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': (isOfApp ? ['POST'] : methodsOf(path)).join(','),
    'access-control-allow-headers': requested.get('access-control-request-headers') ?? '',
  };
  return new Response(null, { status: 204, headers });
}

/** Returns the path of a request below the address of the service. */
function pathBelow({ baseUrl }: State, { pathname }: URL): string {
  return pathname.slice(new URL(baseUrl).pathname.replace(/\/$/, '').length);
}

async function respond(
  { state, faults, requests }: Backing,
  request: Request,
  route?: Route,
): Promise<Response> {
  const { method, headers, signal } = request;
  const url = new URL(request.url);
  const bytes = new Uint8Array(await request.arrayBuffer());
  const below = pathBelow(state, url);
  const path = route && valuesIn(route, below);
  const operation = path && route.operation;
  const sent = operation?.body === 'bytes' ? bytes : new TextDecoder().decode(bytes);
  const body = typeof sent === 'string' ? contentOf(sent) : sent;
  const fault = { operation: operation?.id, headers, body, signal };
  requests.push(logEntry(request, fault));
  const requestId = state.ids.prefixed('req');
  const sender = { method, url, headers, requestId };
  const received: ReceivedRequest = { ...sender, body: sent, operation, path: path ?? {} };
  const response = await handleRequest(state, received, (actor) =>
    faults.apply(fault, typeof actor?.sessionId === 'string'),
  );
  const methods = operation ? [] : methodsOf(below);
  if (methods.length > 0 && response.type !== 'error') {
    response.headers.set('allow', methods.join(', '));
  }
  return method === 'HEAD' && response.type !== 'error' ? new Response(null, response) : response;
}

function contentOf(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
