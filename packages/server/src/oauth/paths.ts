/** The endpoints that the engine serves, by its names. */
export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  pushed_authorization_request: '/oauth/par',
  device_authorization: '/oauth/device',
  code_verification: '/oauth/activate',
  jwks: '/.well-known/jwks.json',
} as const;

/** The pages and endpoints beside the engine. */
export const pagePaths = {
  /** Sign-in and consent, followed by the id of the request. */
  interaction: '/oauth/interaction',
  userinfo: '/oauth/userinfo',
  styles: '/oauth/pages.css',
} as const;

/** The cookies of the pages, by the engine's names. */
export const cookieNames = {
  session: 'vault_sign_in',
  interaction: 'vault_request',
  resume: 'vault_resume',
} as const;

/** RFC 8414 and RFC 9728. */
export const metadataPaths = {
  prefix: '/.well-known/oauth-',
  server: '/.well-known/oauth-authorization-server',
  resource: '/.well-known/oauth-protected-resource',
  /** The form for a resource with a path (RFC 9728, section 3.1). */
  resourceOfApi: '/.well-known/oauth-protected-resource/api/v1',
} as const;

/** The grant with which a device asks for its token (RFC 8628, section 3.4). */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
