import { duration } from '../config/kinds.ts';
import { grantableScopes } from '../domain/access.ts';
import { operator } from '../domain/accounts/administration.ts';
import { type Scope, timestamp } from '../domain/shapes.ts';
import { command, common } from './command.ts';
import { changeDatabase, readDatabase, validBody } from './command-context.ts';
import { UsageError } from './errors.ts';
import { table } from './terminal.ts';

/** What a key or an OAuth client can be allowed, for help and errors. */
export function scopeList(holder: 'key' | 'client'): string {
  return `The scopes are ${[...grantableScopes.admin].join(', ')}. Only an admin's ${holder} can have admin:*.`;
}

export const keyCommands = [
  command({
    name: 'key create',
    summary: 'create an API key for an account; the key is shown once',
    options: {
      user: { value: 'account', help: 'email address or id', isRequired: true },
      name: { value: 'name', help: 'name of the key', isRequired: true },
      scopes: { value: 'scopes', help: 'scopes of the key, separated by commas; required' },
      expires: {
        value: 'when',
        help: 'ISO 8601 timestamp or duration from now (default: the key never expires)',
      },
      ...common,
    },
    notes: scopeList('key'),
    examples: [
      'document-vault key create --user ada@example.com --name "Backup job" --scopes vaults:read,documents:read',
      'document-vault key create --user ada@example.com --name CI --scopes vaults:read --expires 90d',
    ],
    async run({ user, name, scopes, expires, ...given }, context) {
      if (scopes === undefined) {
        throw new UsageError(`--scopes must name what the key may do. ${scopeList('key')}`);
      }
      const body = validBody('createApiKey', {
        name,
        scopes: scopes.split(',').map((scope) => scope.trim() as Scope),
        ...(expires !== undefined && { expiresAt: expiryOf(expires, context.clock.now()) }),
      });
      const created = await changeDatabase(context, given, ({ administration }) =>
        administration.createKey(operator, user, body),
      );
      const { keyId, key, expiresAt } = created;
      const end = expiresAt === null ? 'never expires' : `expires at ${expiresAt}`;
      return {
        result: created,
        lines: [`Created ${keyId}; it ${end}.`, `Key, shown only now: ${key}`],
      };
    },
  }),
  command({
    name: 'key list',
    summary: 'list API keys; can run while the server runs',
    options: {
      user: { value: 'account', help: 'only keys of this account: email address or id' },
      ...common,
    },
    examples: ['document-vault key list', 'document-vault key list --user ada@example.com --json'],
    async run({ user, ...given }, context) {
      const keys = await readDatabase(context, given, ({ administration }) =>
        administration.keys(operator, user),
      );
      const rows = keys.map((key) => [
        key.keyId,
        key.email,
        key.name,
        `${key.prefix}…`,
        key.scopes.join(','),
        key.lastUsedAt ?? 'never',
        key.expiresAt ?? 'never',
      ]);
      const headings = ['KEY ID', 'ACCOUNT', 'NAME', 'KEY', 'SCOPES', 'LAST USED', 'EXPIRES'];
      return { result: keys, lines: [table(headings, rows)] };
    },
  }),
  command({
    name: 'key revoke',
    summary: 'revoke an API key',
    arguments: { 'key-id': { help: 'key_… from the first column of key list' } },
    options: common,
    examples: ['document-vault key revoke key_019cadd454567cf2b3f5c9a7d4f0a1b2'],
    async run({ 'key-id': keyId, ...given }, context) {
      await changeDatabase(context, given, ({ administration }) =>
        administration.revokeKey(operator, keyId),
      );
      return { result: { keyId }, lines: [`Revoked ${keyId}.`] };
    },
  }),
];

const tenYears = 10 * 365 * 24 * 60 * 60 * 1000;

/** Converts a duration into a timestamp. The contract validates every other text. */
function expiryOf(expires: string, now: number): string {
  const kind = duration(1, tenYears);
  const milliseconds = kind.read(kind.parse(expires));
  return milliseconds === undefined ? expires : timestamp(now + milliseconds);
}
