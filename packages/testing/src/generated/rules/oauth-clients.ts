// Generated from openapi/rules/oauth-clients.ts by `npm run generate`. Do not edit.

import { ServiceError, type Violation, validationError, violation } from './errors.ts';

// The rules for OAuth clients that a schema cannot express.

type GrantType =
  | 'authorization_code'
  | 'refresh_token'
  | 'client_credentials'
  | 'urn:ietf:params:oauth:grant-type:device_code';

type AuthMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

/** A public key (RFC 7517), as the schema admits it. */
interface PublicKey {
  readonly kty: 'RSA' | 'EC' | 'OKP';
  readonly crv?: string | undefined;
  readonly n?: string | undefined;
  readonly e?: string | undefined;
  readonly x?: string | undefined;
  readonly y?: string | undefined;
}

/** What an application registers. */
export interface ClientRegistration {
  readonly type: 'confidential' | 'public';
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly tokenEndpointAuthMethod: AuthMethod;
  readonly jwks: { readonly keys: readonly PublicKey[] } | null;
}

/** How a client of a type authenticates when its registration does not say. */
export function defaultAuthMethod(type: ClientRegistration['type']): AuthMethod {
  return type === 'public' ? 'none' : 'client_secret_basic';
}

/** Whether clients with a method have a secret. */
export function hasSecret(method: AuthMethod): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post';
}

/** @throws ServiceError VALIDATION_ERROR that names every broken rule */
export function refuseRegistration(client: ClientRegistration): void {
  const [first, ...others] = [
    ...redirectViolations(client),
    ...grantViolations(client),
    ...authenticationViolations(client),
  ];
  if (first) throw validationError([first, ...others]);
}

/** @throws ServiceError VALIDATION_ERROR for a client without a secret */
export function refuseRotation(method: AuthMethod): void {
  if (hasSecret(method)) return;
  throw violation(
    'clientId',
    'secret',
    `This client has no secret: it authenticates with ${method}.`,
  );
}

/** What an administrator can change of another account's client. */
const administered: ReadonlySet<string> = new Set(['disabled', 'verified']);

/**
 * Leaves to its owner what a client may do and its secret: a client can act as its owner.
 *
 * @param fields the fields to change
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function requireClientOwner(
  { userId }: { readonly userId: string },
  callerId: string,
  fields: readonly string[],
): void {
  if (userId === callerId || fields.every((field) => administered.has(field))) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    message:
      'Only the owner of this client can do this. Administrators can disable, enable, verify and delete it.',
  });
}

function redirectViolations({ redirectUris, grantTypes }: ClientRegistration): Violation[] {
  if (redirectUris.length === 0 && grantTypes.includes('authorization_code')) {
    const message = 'redirectUris must name an address for the grant authorization_code.';
    return [{ field: 'redirectUris', constraint: 'required', message }];
  }
  const isNative = redirectUris.some((uri) => !/^https:/i.test(uri));
  return redirectUris.flatMap((uri, index): Violation[] => {
    const refusal = refusedRedirect(uri) ?? (isNative ? refusedForNative(uri) : undefined);
    if (refusal === undefined) return [];
    const field = `redirectUris.${index}`;
    return [{ field, constraint: 'redirectUri', message: `${field} ${refusal}.` }];
  });
}

/** Names of this device that http redirects may have. RFC 8252, section 7.3, prefers the addresses. */
const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Every name that browsers connect to this device for, as `URL` writes it. */
const ownDevice = [
  /^(.+\.)?localhost\.?$/, // RFC 6761, section 6.3
  /^127(\.\d+){3}$/,
  /^\[::1\]$/,
  /^\[::ffff:7f[\da-f]{2}:[\da-f]+\]$/, // 127.0.0.0/8 within IPv6
  /^(0\.0\.0\.0|\[::\]|\[::ffff:0:0\])$/, // no address, which reaches this device on most systems
];

/** Whether an address is on the user's device, where any app may listen. */
export function isOnDevice(uri: string): boolean {
  const { hostname } = new URL(uri);
  return ownDevice.some((name) => name.test(hostname));
}

/** Whether a redirect leads to a web site. Any app on a device can take the redirects of another app there. */
export function isWebRedirect(uri: string): boolean {
  return new URL(uri).protocol === 'https:' && !isOnDevice(uri);
}

/** Returns why users may not be sent back to an address, in a few words; undefined when they may. */
export function refusedRedirect(uri: string): string | undefined {
  if (!URL.canParse(uri)) return 'is not a URL';
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#')) return 'must not have a fragment';
  if (username !== '' || password !== '' || hasUserInfo(uri)) {
    return 'must not have a user name or a password';
  }
  // A parser would read the address as another one than the text that is compared.
  if (/^https?:(?!\/\/[^/])/i.test(uri)) return 'must begin with https:// and a host';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') {
    return loopback.has(hostname)
      ? undefined
      : 'must use https: http is only for 127.0.0.1, [::1] and localhost';
  }
  if (protocol.includes('.')) return undefined;
  return 'must use https, or a private-use scheme with a dot such as com.example.app';
}

/** Native apps use http on their device (RFC 8252, section 7.3): no certificate is trusted there. */
function refusedForNative(uri: string): string | undefined {
  if (new URL(uri).protocol !== 'https:' || !isOnDevice(uri)) return undefined;
  return 'must not use https on this device beside the address of a native app';
}

/** An empty user name, as in `https://@host`, which parsers drop. */
function hasUserInfo(uri: string): boolean {
  const authority = /^[^:]+:\/\/([^/?#]*)/.exec(uri)?.[1];
  return authority?.includes('@') === true;
}

function grantViolations({ type, grantTypes }: ClientRegistration): Violation[] {
  const refuse = (grant: GrantType, message: string): Violation[] => [
    { field: `grantTypes.${grantTypes.indexOf(grant)}`, constraint: 'grantType', message },
  ];
  const begins =
    grantTypes.includes('authorization_code') ||
    grantTypes.includes('urn:ietf:params:oauth:grant-type:device_code');
  return [
    ...(grantTypes.includes('refresh_token') && !begins
      ? refuse(
          'refresh_token',
          'refresh_token needs authorization_code or urn:ietf:params:oauth:grant-type:device_code.',
        )
      : []),
    ...(grantTypes.includes('client_credentials') && type === 'public'
      ? refuse('client_credentials', 'client_credentials needs a confidential client.')
      : []),
  ];
}

function authenticationViolations(client: ClientRegistration): Violation[] {
  const { type, tokenEndpointAuthMethod: method, jwks } = client;
  if ((type === 'public') !== (method === 'none')) {
    const message =
      type === 'public'
        ? 'A public client has nothing to authenticate with: tokenEndpointAuthMethod must be none.'
        : 'A confidential client must authenticate: tokenEndpointAuthMethod must not be none.';
    return [{ field: 'tokenEndpointAuthMethod', constraint: 'clientType', message }];
  }
  if (method === 'private_key_jwt' && jwks === null) {
    const message = 'jwks is required for private_key_jwt.';
    return [{ field: 'jwks', constraint: 'required', message }];
  }
  return (jwks?.keys ?? []).flatMap((key, index): Violation[] => {
    const refusal = refusedKey(key);
    if (refusal === undefined) return [];
    const field = `jwks.keys.${index}`;
    return [{ field, constraint: 'publicKey', message: `${field} ${refusal}.` }];
  });
}

/** Characters of a modulus of 2,048 bits in base64url. */
const leastModulus = 342;

function refusedKey({ kty, crv, n, e, x, y }: PublicKey): string | undefined {
  if (kty === 'RSA') {
    if (n === undefined || e === undefined) return 'must have n and e';
    return n.length < leastModulus ? 'must have at least 2,048 bits' : undefined;
  }
  if (kty === 'EC') {
    if (crv !== 'P-256') return 'must have the curve P-256';
    return x === undefined || y === undefined ? 'must have x and y' : undefined;
  }
  if (crv !== 'Ed25519') return 'must have the curve Ed25519';
  return x === undefined ? 'must have x' : undefined;
}
