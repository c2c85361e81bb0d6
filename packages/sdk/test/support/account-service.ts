import { DocumentVault } from '@document-vault/sdk';
import type { Keyring, VaultKeys } from '../../src/generated/types.ts';
import { apiKey, baseUrl } from './client.ts';
import { JumpingClock } from './clock.ts';
import { failure, json } from './responses.ts';

export const userId = '019cadd9-1528-7a01-9c3e-5b1f6a0d4e77';
export const vaultId = '019cadd9-1528-7b02-8d4f-6c2a7b1e5f88';

type Body = Record<string, never>;
type Reply = (request: { id: string; body: Body; query: URLSearchParams }) => Response;

const refused = (field: string, constraint: string) =>
  failure(400, 'VALIDATION_ERROR', { details: { field, constraint } });

/** A service with one account: its keyring, its vaults' keys and its documents. */
export class AccountService {
  keyring: Keyring | undefined;
  readonly vaultKeys = new Map<string, VaultKeys>();
  readonly documents = new Map<string, Record<string, unknown>>();
  /** Method and path of each request. */
  readonly requests: string[] = [];
  /** Everything that was sent, for secrets. */
  sent = '';
  /** Runs before a reply, and may stand in for it. */
  intercept: (request: string) => Response | Promise<Response | undefined> | undefined = () =>
    undefined;

  readonly #replies: Record<string, Reply> = {
    'GET users/me': () => json({ id: userId }),
    'GET keyring': () => (this.keyring ? json(this.keyring) : failure(404, 'NOT_FOUND')),
    'PUT keyring': ({ body }) => {
      const {
        currentPassword: _,
        replace,
        ...keyring
      } = body as unknown as Keyring & {
        currentPassword?: string;
        replace?: boolean;
      };
      if (keyring.version !== (this.keyring?.version ?? 0) + 1)
        return refused('version', 'version');
      this.keyring = { ...keyring, userId };
      if (replace) {
        for (const [id, keys] of this.vaultKeys) this.vaultKeys.set(id, { ...keys, sealed: null });
      }
      return json(this.keyring);
    },
    'GET vault-keys': ({ query }) => {
      const chosen = query.get('vaultId');
      const data = [...this.vaultKeys.values()].filter(
        (keys) => chosen === null || keys.vaultId === chosen,
      );
      const page = Number(query.get('page') ?? 1);
      const pageSize = Number(query.get('pageSize') ?? 20);
      const rows = data.slice((page - 1) * pageSize, page * pageSize);
      const hasNextPage = page * pageSize < data.length;
      return json({ data: rows, pagination: { page, totalCount: data.length, hasNextPage } });
    },
    'PUT vaults': ({ id, body }) => {
      const { version, generation, sealed } = body as unknown as VaultKeys;
      if (version !== (this.vaultKeys.get(id)?.version ?? 0) + 1) {
        return refused('version', 'version');
      }
      const keys = { vaultId: id, version, generation, sealed, grant: null, rotationDue: false };
      this.vaultKeys.set(id, keys);
      return json(keys);
    },
    'POST documents': ({ body }) => {
      this.documents.set(String(body.id), body);
      return json({ ...(body as object), encryptedData: undefined }, { status: 201 });
    },
    'GET documents': ({ id }) => json(this.documents.get(id)),
    'PUT documents': ({ id, body }) => {
      const { encryptionMetadata, ...others } = this.documents.get(id) ?? {};
      const changes = body as Record<string, object>;
      const wrap = { ...(encryptionMetadata as object), ...changes.encryptionMetadata };
      this.documents.set(id, { ...others, ...changes, encryptionMetadata: wrap });
      return json(this.documents.get(id));
    },
  };

  /** Creates a client of the account, on a device of its own. */
  client(): DocumentVault {
    const fetch = async (url: string, { method = 'GET', body }: RequestInit) => {
      const { pathname, searchParams: query } = new URL(url);
      const [resource = '', id = ''] = pathname.replace('/api/v1/', '').split('/');
      const known = resource === 'users' ? `${method} users/me` : `${method} ${resource}`;
      this.requests.push(known);
      this.sent += `${url} ${body ?? ''}\n`;
      const reply = await this.intercept(known);
      if (reply) return reply;
      const parsed = body ? JSON.parse(String(body)) : {};
      return this.#replies[known]?.({ id, body: parsed, query }) ?? failure(404, 'NOT_FOUND');
    };
    return new DocumentVault({ baseUrl, apiKey, clock: new JumpingClock(), fetch: fetch as never });
  }
}
