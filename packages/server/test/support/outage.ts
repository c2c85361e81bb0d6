import { expect } from 'vitest';
import { everyRequest } from './every-request.ts';
import { expectEveryHeader } from './front-door.ts';
import { createResources, type ResourceIds } from './owned-resources.ts';
import type { Account, Reply, TestServer } from './server.ts';

// Requests of every kind to a server whose database fails.

/** A line of the server's log. */
export interface LogLine {
  readonly msg: string;
  readonly level: number;
  readonly requestId?: string;
  readonly status?: number;
}

/** The form of an error: of the contract, of GraphQL, of RFC 6749, or a page for a browser. */
type Form = 'contract' | 'graphql' | 'oauth' | 'html';

interface RouteReply extends Reply {
  readonly route: string;
  readonly form: Form;
}

interface Route {
  readonly route: string;
  readonly form: Form;
  send(): Promise<Reply>;
}

export interface Furnished {
  readonly owner: Account;
  readonly resources: ResourceIds;
  readonly instanceId: string;
}

/** Creates an account with one resource of each type, also an app, so that OAuth is on. */
export async function furnish(server: TestServer): Promise<Furnished> {
  const owner = await server.signUp('owner@example.com');
  const resources = await createResources(server, owner.call);
  const { body } = await server.developer('GET', '/api/v1/instances');
  return { owner, resources, instanceId: body.data[0].id };
}

async function sendForm(server: TestServer, path: string, form?: object): Promise<Reply> {
  const response = await fetch(server.url + path, {
    redirect: 'manual',
    ...(form && { method: 'POST', body: new URLSearchParams({ ...form }) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}

function routesOf(server: TestServer, { owner, resources, instanceId }: Furnished): Route[] {
  const operations = everyRequest(resources, instanceId).map(
    ({ name, send }): Route => ({ route: name, form: 'contract', send: () => send(owner.call) }),
  );
  const token = { client_id: resources.clientId, grant_type: 'refresh_token', refresh_token: 'x' };
  const authorize = new URLSearchParams({
    client_id: resources.clientId ?? '',
    response_type: 'code',
    redirect_uri: 'https://tax.example.com/callback',
    scope: 'vaults:read',
    code_challenge_method: 'S256',
    code_challenge: 'x'.repeat(43),
  });
  const oauth = (route: string, form: Form, body?: object): Route => ({
    route,
    form,
    send: () => sendForm(server, route, body),
  });
  return [
    ...operations,
    oauth(`/oauth/authorize?${authorize}`, 'html'),
    oauth('/oauth/activate', 'html'),
    oauth('/oauth/interaction/x', 'html'),
    oauth('/oauth/device', 'oauth', token),
    oauth('/oauth/device', 'oauth'),
    oauth('/oauth/token', 'oauth', token),
    oauth('/oauth/revoke', 'oauth', { client_id: resources.clientId, token: 'x' }),
    oauth('/oauth/par', 'oauth', token),
    oauth('/oauth/userinfo', 'oauth'),
    oauth('/.well-known/oauth-authorization-server', 'oauth'),
    {
      route: '/graphql',
      form: 'graphql',
      send: () => owner.call('POST', '/graphql', { body: { query: '{ me { email } }' } }),
    },
    {
      route: 'unknown path',
      form: 'contract',
      send: () => server.anonymous('GET', '/api/v1/unknown'),
    },
    {
      route: 'unknown API key',
      form: 'contract',
      send: () => server.withKey(`service_sk_${'x'.repeat(40)}`)('GET', '/api/v1/vaults'),
    },
    {
      route: 'malformed token',
      form: 'contract',
      send: () => server.withToken('eyJ.x.y')('GET', '/api/v1/vaults'),
    },
    {
      route: 'preflight',
      form: 'contract',
      send: () =>
        server.anonymous('OPTIONS', '/api/v1/vaults', {
          headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
        }),
    },
  ];
}

/** Sends a request to every route and requires the form of each response. */
export async function callEveryRoute(
  server: TestServer,
  furnished: Furnished,
): Promise<RouteReply[]> {
  const replies: RouteReply[] = [];
  for (const { route, form, send } of routesOf(server, furnished)) {
    const reply = { ...(await send()), route, form };
    expectForm(reply);
    replies.push(reply);
  }
  return replies;
}

/** Requires every header of a response, and for a failure the form of an error with its request id. */
export function expectForm(reply: RouteReply): void {
  const { route, form, status, headers, body } = reply;
  const requestId = headers.get('x-request-id');
  const isOfContract = form === 'contract' || form === 'graphql';
  expectEveryHeader(isOfContract ? reply : { ...reply, body: undefined });
  if (status < 500) return;
  expect(status, route).toBe(500);
  expect(headers.get('content-type'), route).toMatch(form === 'html' ? /^text\/html/ : /json/);
  const expected = {
    contract: { error: { code: 'INTERNAL_ERROR', requestId } },
    graphql: { errors: [{ extensions: { code: 'INTERNAL_ERROR', requestId } }] },
    oauth: { error: 'server_error' },
    html: expect.stringContaining('<!doctype html>'),
  }[form];
  if (form === 'html') expect(body, route).toEqual(expected);
  else expect(body, route).toMatchObject(expected);
}

/** The pages of the server, which need no database. */
export async function expectPages(server: TestServer): Promise<void> {
  const pages: readonly (readonly [path: string, status: number])[] = [
    ['/health/live', 200],
    ['/health/ready', 503],
    ['/metrics', 200],
    ['/docs', 200],
    ['/share/', 200],
    ['/console', 308],
  ];
  for (const [path, status] of pages) {
    const reply = await sendForm(server, path);
    expect(reply.status, path).toBe(status);
    expect(reply.headers.get('x-request-id'), path).toMatch(/^req_/);
  }
}

/** Requests by status, as `/metrics` counts them. */
export async function countedStatuses(server: TestServer): Promise<Map<number, number>> {
  // A page of metrics is served again for a second.
  server.clock.advance(1_000);
  const { body } = await sendForm(server, '/metrics');
  const counts = new Map<number, number>();
  const line = /^document_vault_http_requests_total\{[^}]*status="(\d+)"[^}]*\} (\d+)$/gm;
  for (const [, status, count] of String(body).matchAll(line)) {
    counts.set(Number(status), (counts.get(Number(status)) ?? 0) + Number(count));
  }
  return counts;
}

/** Requires that each response has its line in the log, with its status. */
export function expectLogged(replies: readonly Reply[], lines: readonly LogLine[]): void {
  const logged = new Map(
    lines
      .filter(({ msg }) => msg === 'request')
      .map(({ requestId, status }) => [requestId, status]),
  );
  for (const { headers, status } of replies) {
    expect(logged.get(headers.get('x-request-id') ?? '')).toBe(status);
  }
}

/** Lets the tasks run that need no request, and requires that each logs its failure. */
export async function expectFailingTasks(
  server: TestServer,
  lines: readonly LogLine[],
): Promise<void> {
  const problems = [
    'health was not recorded',
    'sweeping failed',
    'the history of the instances was not recorded',
  ];
  server.clock.advance(120_000);
  await expect
    .poll(() => problems.filter((problem) => !lines.some(({ msg }) => msg === problem)))
    .toEqual([]);
}
