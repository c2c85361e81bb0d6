import type { Faults } from './faults.ts';
import { ServiceError } from './generated/rules/errors.ts';
import { readParameters } from './generated/rules/parameters.ts';
import type { State } from './state.ts';
import { endSessionOf, rotate } from './tokens.ts';

// The endpoints that an app with OAuth uses between its sign-ins. The pages of the service are not in the kit: in
// tests, a login of the same account takes their place.

/** Paths of the endpoints, below `baseUrl`. */
export const oauthPaths = ['/oauth/token', '/oauth/revoke'] as const;

/** A request of an app. */
export interface AppRequest {
  readonly path: (typeof oauthPaths)[number];
  readonly headers: Headers;
  readonly query: string;
  /** The form as it was sent. */
  readonly body: string;
}

/** Exchanges a refresh token, or ends the session of a token (RFC 6749, section 6, and RFC 7009). */
export function handleApp(
  { state, faults }: { readonly state: State; readonly faults: Faults },
  request: AppRequest,
): Response {
  const { path, query, body } = request;
  try {
    readParameters(query, 'query');
    readParameters(body, 'body');
  } catch (error) {
    return refusal(state, error, 'invalid_request');
  }
  if (path === '/oauth/token') return exchange(state, faults, request);
  endSessionOf(state, new URLSearchParams(body).get('token') ?? '');
  return reply(state, 200);
}

function exchange(state: State, faults: Faults, { body, headers }: AppRequest): Response {
  const form = new URLSearchParams(body);
  if (form.get('grant_type') !== 'refresh_token') {
    return reply(state, 400, {
      error: 'unsupported_grant_type',
      error_description: 'The test kit exchanges refresh tokens only.',
    });
  }
  const refreshToken = form.get('refresh_token') ?? '';
  const sender = { requestId: state.ids.prefixed('req'), userAgent: headers.get('user-agent') };
  try {
    faults.rejectRefreshToken({ refreshToken });
    const tokens = rotate(state, sender, refreshToken);
    return reply(state, 200, {
      access_token: tokens.accessToken,
      refresh_token: tokens.refreshToken,
      token_type: 'Bearer',
      expires_in: tokens.expiresIn,
    });
  } catch (error) {
    return refusal(state, error, 'invalid_grant');
  }
}

/** Bugs of the kit are thrown. */
function refusal(state: State, error: unknown, code: string): Response {
  if (!(error instanceof ServiceError)) throw error;
  return reply(state, 400, { error: code, error_description: error.message });
}

function reply({ now }: State, status: number, body?: object): Response {
  const headers = {
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': '*',
    // Clients measure the clock of the service by it.
    date: new Date(now()).toUTCString(),
    ...(body && { 'content-type': 'application/json; charset=utf-8' }),
  };
  return new Response(body ? JSON.stringify(body) : null, { status, headers });
}
