import type { DocumentVault } from '../client.ts';
import { abortError, withDeadline } from '../http/deadline.ts';
import { type CallOptions, resolveLimits } from '../options.ts';
import { type App, type Authorized, appOf, signIn, tokensOf, withLibrary } from './app.ts';
import type { AuthorizationRequest } from './authorization.ts';
import { OAuthError } from './errors.ts';
import { type TokenService, tokenService } from './token-service.ts';

/** A code that a user enters on another device. */
export interface DeviceAuthorization {
  /** What the user enters at `verificationUri`. */
  userCode: string;
  /** The page that asks for the code. */
  verificationUri: string;
  /** The page with the code in its address, for a link or a QR code. */
  verificationUriComplete: string | undefined;
  /** How long the code is valid, in seconds. */
  expiresIn: number;
  /** Wait between two requests, in seconds. */
  interval: number;
  /** Secret of this sign-in. */
  deviceCode: string;
}

/** Without one from the service, five seconds (RFC 8628, section 3.2). */
const defaultInterval = 5;

/** What `slow_down` adds to the interval, in seconds (RFC 8628, section 3.5). */
const slowDown = 5;

/**
 * Begins a sign-in on a device without a browser, such as a terminal or a television (RFC 8628). Show the
 * user `verificationUri` and `userCode`, and call {@link finishDeviceAuthorization}.
 *
 * @throws {@link OAuthError} with the code `invalid_client`, `invalid_scope`, or `unauthorized_client` when
 * the client may not use this grant
 * @throws {@link UsageError} when the session of the client is not one of {@link oauthSession}
 * @example
 * const device = await beginDeviceAuthorization(client, { scopes: ['vaults:read'] });
 * console.log(`Open ${device.verificationUri} and enter ${device.userCode}`);
 * await finishDeviceAuthorization(client, device);
 */
export async function beginDeviceAuthorization(
  client: DocumentVault,
  { scopes }: AuthorizationRequest,
  callOptions?: CallOptions,
): Promise<DeviceAuthorization> {
  const { app, access } = appOf(client);
  return withLibrary(
    app,
    tokenService(access, callOptions),
    async ({ oauth, as, client, auth, options }) => {
      const scope = scopes.join(' ');
      const response = await oauth.deviceAuthorizationRequest(as, client, auth, { scope }, options);
      const reply = await oauth.processDeviceAuthorizationResponse(as, client, response);
      return {
        userCode: reply.user_code,
        verificationUri: reply.verification_uri,
        verificationUriComplete: reply.verification_uri_complete,
        expiresIn: reply.expires_in,
        interval: reply.interval ?? defaultInterval,
        deviceCode: reply.device_code,
      };
    },
  );
}

/**
 * Waits until the user has entered the code and agreed, then starts the session. `signal` and `totalTimeout` end
 * the wait.
 *
 * @returns the scopes that the user has agreed to
 * @throws {@link OAuthError} with the code `access_denied` when the user refused, `expired_token` when the
 * code has expired
 * @throws AbortError when `signal` was aborted, TimeoutError after `totalTimeout`
 * @example
 * const { scopes } = await finishDeviceAuthorization(client, device, { signal });
 */
export async function finishDeviceAuthorization(
  client: DocumentVault,
  device: DeviceAuthorization,
  callOptions?: CallOptions,
): Promise<Authorized> {
  const { app, access } = appOf(client);
  const { signal } = callOptions ?? {};
  const { totalTimeout } = resolveLimits(callOptions ?? {}, access.settings);
  return signIn(
    client,
    (service) =>
      withDeadline({ signal, timeoutMs: totalTimeout }, (ended) =>
        poll(app, device, service.until(ended)),
      ),
    callOptions,
  );
}

/** Asks for the tokens until the user has decided, or the signal of the service is aborted. */
async function poll(
  app: App,
  device: DeviceAuthorization,
  service: TokenService & { signal: AbortSignal },
) {
  const { signal, clock } = service;
  let { interval } = device;
  for (;;) {
    await clock.sleep(interval * 1_000, signal);
    if (signal.aborted) throw abortError({ signal });
    const granted = await deviceGrant(app, device, service);
    if (typeof granted === 'object') return granted;
    if (granted === 'slow_down') interval += slowDown;
  }
}

/** Asks for the tokens. Returns the code of the error when the user has not decided yet. */
function deviceGrant(app: App, { deviceCode }: DeviceAuthorization, service: TokenService) {
  return withLibrary(app, service, async ({ oauth, as, client, auth, options }) => {
    const response = await oauth.deviceCodeGrantRequest(as, client, auth, deviceCode, options);
    const reply = await oauth.processDeviceCodeResponse(as, client, response);
    return { data: tokensOf(reply), response };
  }).catch((error) => {
    const { code } = error as OAuthError;
    if (error instanceof OAuthError && (code === 'authorization_pending' || code === 'slow_down')) {
      return code;
    }
    throw error;
  });
}
