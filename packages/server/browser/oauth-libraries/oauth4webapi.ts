import * as oauth from 'oauth4webapi';
import { type Connect, scope } from './library.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

/** Sends the secret by HTTP Basic. */
export const connect: Connect = async ({ issuer, clientId, clientSecret, redirectUri }) => {
  const url = new URL(issuer);
  const discovered = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure });
  const as = await oauth.processDiscoveryResponse(url, discovered);
  const client = { client_id: clientId };
  const basic = oauth.ClientSecretBasic(clientSecret);

  async function push(parameters: Record<string, string>): Promise<Record<string, string>> {
    const reply = await oauth.pushedAuthorizationRequest(as, client, basic, parameters, insecure);
    const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, reply);
    return { request_uri };
  }

  return {
    createPending: () => ({
      codeVerifier: oauth.generateRandomCodeVerifier(),
      state: oauth.generateRandomState(),
    }),
    async authorizationUrl({ codeVerifier, state }, isPushed) {
      const parameters = {
        response_type: 'code',
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      };
      const sent = isPushed ? await push(parameters) : parameters;
      const authorization = new URL(as.authorization_endpoint ?? '');
      authorization.search = new URLSearchParams({ ...client, ...sent }).toString();
      return authorization;
    },
    async exchangeCode({ codeVerifier, state }, returned) {
      const parameters = oauth.validateAuthResponse(as, client, returned, state);
      const reply = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        basic,
        parameters,
        redirectUri,
        codeVerifier,
        insecure,
      );
      return oauth.processAuthorizationCodeResponse(as, client, reply);
    },
    async refresh(refreshToken) {
      const reply = await oauth.refreshTokenGrantRequest(as, client, basic, refreshToken, insecure);
      return oauth.processRefreshTokenResponse(as, client, reply);
    },
    async revoke(token) {
      const reply = await oauth.revocationRequest(as, client, basic, token, insecure);
      await oauth.processRevocationResponse(reply);
    },
    async requestForOwner() {
      const reply = await oauth.clientCredentialsGrantRequest(
        as,
        client,
        basic,
        { scope },
        insecure,
      );
      return oauth.processClientCredentialsResponse(as, client, reply);
    },
    async beginDevice() {
      const reply = await oauth.deviceAuthorizationRequest(as, client, basic, { scope }, insecure);
      return oauth.processDeviceAuthorizationResponse(as, client, reply);
    },
    async pollDevice({ device_code }) {
      const reply = await oauth.deviceCodeGrantRequest(as, client, basic, device_code, insecure);
      return oauth.processDeviceCodeResponse(as, client, reply);
    },
  };
};
