import { documentOf, newDocument, newVault } from '../support/resources.ts';
import type { Caller, Reply, TestServer, TestServerOptions } from '../support/server.ts';

// Types and helpers of acts, which cause one event each.

/** A server and an account without resources, which runs the acts. */
export interface Setting {
  readonly server: TestServer;
  /** Sends requests with an API key that has every scope of a user. */
  readonly owner: Caller;
  /** The account as returned by `GET /api/v1/users/me`. */
  readonly me: { readonly id: string; readonly email: string; readonly instanceId: string };
  readonly password: string;
}

/** Sends a request, or only advances the clock and returns undefined. */
export type Act = (setting: Setting, before: Resource) => Promise<Reply | undefined>;

// biome-ignore lint/suspicious/noExplicitAny: resources of every type, as returned
export type Resource = any;

export interface EventAct {
  readonly type: string;
  readonly options?: TestServerOptions;
  /** Options of the server before and after a restart. The change causes the event. */
  readonly restart?: { readonly from: TestServerOptions; readonly to: TestServerOptions };
  /** Creates the resource that the act needs. */
  readonly prepare?: (setting: Setting) => Promise<Resource>;
  /** A similar request that emits no event of this type and does not affect the act. */
  readonly silent: Act;
  readonly act: Act;
  /** Expected `data` of the event, from the act's response and the prepared resource. */
  readonly data: (reply: Resource, before: Resource, setting: Setting) => object | Promise<object>;
  /** Other event types that the same act emits. */
  readonly otherTypes?: readonly string[];
  /** Expected `context.userId`; default: the owner. */
  readonly by?: (reply: Resource) => string | null;
}

export const hour = 60 * 60 * 1000;
const bytes = (count: number) => Buffer.alloc(count, 7);
export const inAnHour = ({ server }: Setting) => ({
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

export const vault = ({ owner }: Setting) => newVault(owner);

export async function document({ owner }: Setting) {
  return newDocument(owner, (await newVault(owner)).id);
}
