import { grantableScopes } from '../domain/access.ts';
import { audienceOf } from '../domain/oauth/tokens.ts';
import { deviceGrant, metadataPaths, pagePaths, paths } from './paths.ts';

const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant];

const authenticationMethods = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
];

const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'];

const scopes = [...grantableScopes.admin];

/** The metadata of the authorization server (RFC 8414). */
export function serverMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: issuer + paths.authorization,
    token_endpoint: issuer + paths.token,
    revocation_endpoint: issuer + paths.revocation,
    pushed_authorization_request_endpoint: issuer + paths.pushed_authorization_request,
    device_authorization_endpoint: issuer + paths.device_authorization,
    userinfo_endpoint: issuer + pagePaths.userinfo,
    jwks_uri: issuer + paths.jwks,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: authenticationMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: authenticationMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    require_pushed_authorization_requests: false,
  };
}

/** The metadata of the API as a protected resource (RFC 9728). */
export function resourceMetadata(issuer: string) {
  return {
    resource: audienceOf(issuer),
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
  };
}

/** The header of a 401: where a client learns how to get access (RFC 9728, section 5.1). */
export function challenge(issuer: string, error?: 'invalid_token'): string {
  const parameters = [
    `resource_metadata="${issuer}${metadataPaths.resourceOfApi}"`,
    ...(error === undefined ? [] : [`error="${error}"`]),
  ];
  return `Bearer ${parameters.join(', ')}`;
}
