/** A page of another origin that uses libraries for OAuth as they are published. */
import type { Connect, Device, Registration } from './library.ts';
import { connect as oauth4webapi } from './oauth4webapi.ts';
import { connect as openidClient } from './openid-client.ts';

const libraries = { oauth4webapi, 'openid-client': openidClient } satisfies Record<string, Connect>;

/** An app with one of the libraries. */
export interface LibraryApp extends Registration {
  readonly library: keyof typeof libraries;
}

/** What an app did with its tokens. */
export interface Outcome {
  readonly scope: string | undefined;
  /** Names of the vaults. */
  readonly vaults: readonly string[];
  /** Whether the refresh token was replaced. */
  readonly isRotated: boolean;
  /** The status of a call after the revocation. */
  readonly statusAfterwards: number;
}

/** The functions that the test calls. */
export interface LibraryPage {
  /** Leads to the pages of the service. */
  signIn(app: LibraryApp & { readonly isPushed: boolean }): Promise<void>;
  /** Exchanges the code in the address, lists the vaults, refreshes and revokes. */
  finish(app: LibraryApp): Promise<Outcome>;
  /** Gets a token for the owner of the app. Returns the status of a call with it, and of one after its revocation. */
  actForOwner(app: LibraryApp): Promise<readonly number[]>;
  beginDevice(app: LibraryApp): Promise<Device>;
  /** Returns the names of the vaults of the user who has entered the code. */
  finishDevice(app: LibraryApp & { readonly device: Device }): Promise<readonly string[]>;
}

const open = ({ library, ...registration }: LibraryApp) => libraries[library](registration);

const page: LibraryPage = {
  async signIn(app) {
    const opened = await open(app);
    const pending = opened.createPending();
    sessionStorage.setItem('pending', JSON.stringify(pending));
    location.assign(await opened.authorizationUrl(pending, app.isPushed));
  },

  async finish(app) {
    const opened = await open(app);
    const pending = JSON.parse(sessionStorage.getItem('pending') ?? '{}');
    const first = await opened.exchangeCode(pending, new URL(location.href));
    const vaults = await listVaults(app, first.access_token);
    const next = await opened.refresh(first.refresh_token ?? '');
    await opened.revoke(next.refresh_token ?? '');
    const { status } = await requestVaults(app, next.access_token);
    const isRotated = ![undefined, first.refresh_token].includes(next.refresh_token);
    return { scope: first.scope, vaults, isRotated, statusAfterwards: status };
  },

  async actForOwner(app) {
    const opened = await open(app);
    const { access_token: token } = await opened.requestForOwner();
    const before = await requestVaults(app, token);
    await opened.revoke(token);
    const after = await requestVaults(app, token);
    return [before.status, after.status];
  },

  beginDevice: async (app) => (await open(app)).beginDevice(),

  async finishDevice({ device, ...app }) {
    const { access_token: token } = await (await open(app)).pollDevice(device);
    return listVaults(app, token);
  },
};

function requestVaults({ issuer }: Registration, accessToken: string): Promise<Response> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return fetch(`${issuer}/api/v1/vaults`, { headers });
}

async function listVaults(app: Registration, accessToken: string): Promise<readonly string[]> {
  const response = await requestVaults(app, accessToken);
  const { data } = (await response.json()) as { data: { name: string }[] };
  return data.map(({ name }) => name);
}

Object.assign(window, { app: page });
