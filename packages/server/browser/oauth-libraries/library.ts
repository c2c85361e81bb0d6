/** The service, and the app as it is registered there. */
export interface Registration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

/** What a sign-in keeps until its user comes back. */
export interface Pending {
  readonly codeVerifier: string;
  readonly state: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
}

export interface Device {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly expires_in: number;
}

/** The scope that apps ask for. */
export const scope = 'vaults:read';

/** A library for OAuth that has discovered the service. */
export interface Library {
  createPending(): Pending;
  /** @param isPushed whether the request is pushed first (RFC 9126) */
  authorizationUrl(pending: Pending, isPushed: boolean): Promise<URL>;
  exchangeCode(pending: Pending, url: URL): Promise<Tokens>;
  refresh(refreshToken: string): Promise<Tokens>;
  revoke(token: string): Promise<void>;
  requestForOwner(): Promise<Tokens>;
  beginDevice(): Promise<Device>;
  pollDevice(device: Device): Promise<Tokens>;
}

/** Discovers the service by its metadata. */
export type Connect = (registration: Registration) => Promise<Library>;
