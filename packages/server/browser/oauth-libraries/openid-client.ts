import * as openid from 'openid-client';
import { type Connect, scope } from './library.ts';

/** Sends the secret in the body, as this library does by default. */
export const connect: Connect = async ({ issuer, clientId, clientSecret, redirectUri }) => {
  const config = await openid.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  });
  return {
    createPending: () => ({
      codeVerifier: openid.randomPKCECodeVerifier(),
      state: openid.randomState(),
    }),
    async authorizationUrl({ codeVerifier, state }, isPushed) {
      const parameters = {
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      };
      return isPushed
        ? openid.buildAuthorizationUrlWithPAR(config, parameters)
        : openid.buildAuthorizationUrl(config, parameters);
    },
    exchangeCode: ({ codeVerifier, state }, url) =>
      openid.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
      }),
    refresh: (refreshToken) => openid.refreshTokenGrant(config, refreshToken),
    revoke: (token) => openid.tokenRevocation(config, token),
    requestForOwner: () => openid.clientCredentialsGrant(config, { scope }),
    beginDevice: () => openid.initiateDeviceAuthorization(config, { scope }),
    // The user has decided: no wait is needed.
    pollDevice: (device) => openid.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 }),
  };
};
