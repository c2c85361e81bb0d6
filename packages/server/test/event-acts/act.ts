import { documentOf, newDocument, newVault } from '../support/resources.ts';
import type { Caller, Reply, TestServer, TestServerOptions } from '../support/server.ts';

// Acts that cause events, and what they are made of.

/** An ordinary account, on a server where it has nothing yet. */
export interface Scene {
  readonly server: TestServer;
  /** With a key of the account that has every scope of a user. */
  readonly owner: Caller;
  /** The account as `GET /api/v1/users/me` shows it. */
  readonly me: { readonly id: string; readonly email: string; readonly instanceId: string };
  readonly password: string;
}

/** What an act does: a request, or nothing but that time goes by. */
export type Act = (scene: Scene, before: Resource) => Promise<Reply | undefined>;

// biome-ignore lint/suspicious/noExplicitAny: resources of every kind, as they were answered
export type Resource = any;

export interface EventAct {
  readonly type: string;
  readonly options?: TestServerOptions;
  /** What changes at the start before the act: an instance falls ill of it, or recovers. */
  readonly restart?: { readonly from: TestServerOptions; readonly to: TestServerOptions };
  /** Makes what the act needs. */
  readonly prepare?: (scene: Scene) => Promise<Resource>;
  /** Something much like the act that causes no event of this type, and does not stand in its way. */
  readonly silent: Act;
  readonly act: Act;
  /** `data` of the event, by the answer of the act and what was there before. */
  readonly data: (reply: Resource, before: Resource, scene: Scene) => object | Promise<object>;
  /** Events of other types that the same act causes. */
  readonly beside?: readonly string[];
  /** Who caused it; default: the owner. */
  readonly by?: (reply: Resource) => string | null;
}

export const hour = 60 * 60 * 1000;
const bytes = (count: number) => Buffer.alloc(count, 7);
export const inAnHour = ({ server }: Scene) => ({
  expiresAt: new Date(server.clock.now() + hour).toISOString(),
});

export const anonymous = () => null;

export const passing =
  (milliseconds: number): Act =>
  async ({ server }) => {
    await server.settled();
    server.clock.advance(milliseconds);
    await server.settled();
    return undefined;
  };

export const upload =
  (size: number): Act =>
  ({ owner }, vault) =>
    owner('POST', '/api/v1/documents', { body: documentOf(vault.id, bytes(size)) });

export const put =
  (path: string, body: object): Act =>
  ({ owner }, before) =>
    owner('PUT', `${path}/${before?.id ?? 'me'}`, { body });

export const remove =
  (path: string, id?: string): Act =>
  ({ owner }, before) =>
    owner('DELETE', `${path}/${id ?? before.id}`);

export const vault = ({ owner }: Scene) => newVault(owner);

export async function document({ owner }: Scene) {
  return newDocument(owner, (await newVault(owner)).id);
}
