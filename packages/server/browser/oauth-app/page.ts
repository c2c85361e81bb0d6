/** A page of another origin that signs in with oauth4webapi as it is published. */
import * as oauth from 'oauth4webapi';

/** Where the service is, and as what the page is registered. */
export interface Registration {
  readonly issuer: string;
  readonly clientId: string;
}

/** What the page did after its user came back. */
export interface Outcome {
  readonly scope: string | undefined;
  /** Names of the vaults. */
  readonly vaults: readonly string[];
  /** Whether the refresh token was replaced. */
  readonly isRotated: boolean;
  /** The status of a call after the revocation. */
  readonly statusAfterwards: number;
  /** The header WWW-Authenticate of that call, as the page can read it. */
  readonly challenge: string | null;
  /** The error for the code that was used before, as the page can read it. */
  readonly repeated: string | undefined;
}

/** The functions that the test calls. */
export interface AppPage {
  /** Leads to the pages of the service. */
  signIn(registration: Registration): Promise<void>;
  /** Exchanges the code in the address, lists the vaults, refreshes and revokes. */
  finish(registration: Registration): Promise<Outcome>;
  /** Requests a page of the service. Returns the status, or the name of the error. */
  readPage(request: {
    readonly url: string;
    readonly credentials: RequestCredentials;
  }): Promise<number | string>;
}

const insecure = { [oauth.allowInsecureRequests]: true };
const redirectUri = `${location.origin}/`;

const appPage: AppPage = {
  async signIn({ issuer, clientId }) {
    const as = await discover(issuer);
    const codeVerifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    sessionStorage.setItem('pending', JSON.stringify({ codeVerifier, state }));
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'vaults:read',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    }).toString();
    location.assign(url);
  },

  async finish({ issuer, clientId }) {
    const as = await discover(issuer);
    const client = { client_id: clientId };
    const none = oauth.None();
    const { codeVerifier, state } = JSON.parse(sessionStorage.getItem('pending') ?? '{}');
    const parameters = oauth.validateAuthResponse(as, client, new URL(location.href), state);
    const exchange = async () => {
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        none,
        parameters,
        redirectUri,
        codeVerifier,
        insecure,
      );
      return oauth.processAuthorizationCodeResponse(as, client, response);
    };
    const first = await exchange();
    const listed = await listVaults(issuer, first.access_token);
    const { data } = (await listed.json()) as { data: { name: string }[] };

    const refreshToken = first.refresh_token ?? '';
    const response = await oauth.refreshTokenGrantRequest(as, client, none, refreshToken, insecure);
    const next = await oauth.processRefreshTokenResponse(as, client, response);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, none, next.refresh_token ?? '', insecure),
    );
    const afterwards = await listVaults(issuer, next.access_token);
    return {
      scope: first.scope,
      vaults: data.map(({ name }) => name),
      isRotated: next.refresh_token !== undefined && next.refresh_token !== refreshToken,
      statusAfterwards: afterwards.status,
      challenge: afterwards.headers.get('www-authenticate'),
      repeated: await exchange().then(
        () => undefined,
        (error: oauth.ResponseBodyError) => error.error,
      ),
    };
  },

  readPage: ({ url, credentials }) =>
    fetch(url, { credentials }).then(
      ({ status }) => status,
      (error: Error) => error.name,
    ),
};

async function discover(issuer: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  const response = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure });
  return oauth.processDiscoveryResponse(url, response);
}

function listVaults(issuer: string, accessToken: string): Promise<Response> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return fetch(`${issuer}/api/v1/vaults`, { headers });
}

Object.assign(window, { app: appPage });
