import type { Command } from 'commander';
import { duration } from '../config/kinds.ts';
import { grantableScopes } from '../domain/access.ts';
import { operator } from '../domain/accounts/administration.ts';
import { type Scope, timestamp } from '../domain/shapes.ts';
import {
  type CommandContext,
  changeDatabase,
  type OutputOptions,
  readDatabase,
  validBody,
  withData,
} from './command-context.ts';
import { UsageError } from './errors.ts';
import { printJson, table } from './terminal.ts';

/** Adds the commands `key create | list | revoke`. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const key = program.command('key').description('manage API keys');
  addCreate(key, context);
  addList(key, context);
  addRevoke(key, context);
}

interface CreateOptions extends OutputOptions {
  readonly user: string;
  readonly name: string;
  readonly scopes?: string;
  readonly expires?: string;
}

/** What a key can be allowed, for help and errors. */
const scopeList = `The scopes are ${[...grantableScopes.admin].join(', ')}. Only an admin's key can have admin:*.`;

function addCreate(key: Command, context: CommandContext): void {
  const command = key
    .command('create')
    .description('create an API key for an account; the key is shown once')
    .requiredOption('--user <account>', 'email address or id')
    .requiredOption('--name <name>', 'name of the key')
    .option('--scopes <scopes>', 'scopes of the key, separated by commas; required')
    .option(
      '--expires <when>',
      'ISO 8601 timestamp or duration from now (default: the key never expires)',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
${scopeList}

Examples:
  $ document-vault key create --user ada@example.com --name "Backup job" --scopes vaults:read,documents:read
  $ document-vault key create --user ada@example.com --name CI --scopes vaults:read --expires 90d`,
    );
  withData(command).action((options: CreateOptions) => create(options, context));
}

async function create(options: CreateOptions, context: CommandContext): Promise<void> {
  const { user, name, scopes, expires } = options;
  if (scopes === undefined) {
    throw new UsageError(`--scopes must name what the key may do. ${scopeList}`);
  }
  const body = validBody('createApiKey', {
    name,
    scopes: scopes.split(',').map((scope) => scope.trim() as Scope),
    ...(expires !== undefined && { expiresAt: expiryOf(expires, context.clock.now()) }),
  });
  const created = await changeDatabase(context, options, ({ administration }) =>
    administration.createKey(operator, user, body),
  );
  const { terminal } = context;
  if (options.json) return printJson(terminal, created);
  const end = created.expiresAt === null ? 'never expires' : `expires at ${created.expiresAt}`;
  terminal.print(`Created ${created.keyId}; it ${end}.`);
  terminal.print(`Key, shown only now: ${created.key}`);
}

const tenYears = 10 * 365 * 24 * 60 * 60 * 1000;

/** Converts a duration into a timestamp. The contract validates every other text. */
function expiryOf(expires: string, now: number): string {
  const kind = duration(1, tenYears);
  const milliseconds = kind.read(kind.parse(expires));
  return milliseconds === undefined ? expires : timestamp(now + milliseconds);
}

interface ListOptions extends OutputOptions {
  readonly user?: string;
}

function addList(key: Command, context: CommandContext): void {
  const command = key
    .command('list')
    .description('list API keys; can run while the server runs')
    .option('--user <account>', 'only keys of this account: email address or id')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault key list
  $ document-vault key list --user ada@example.com --json`,
    );
  withData(command).action((options: ListOptions) => list(options, context));
}

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const keys = await readDatabase(context, options, ({ administration }) =>
    administration.keys(operator, options.user),
  );
  const { terminal } = context;
  if (options.json) return printJson(terminal, keys);
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
  terminal.print(table(headings, rows));
}

function addRevoke(key: Command, context: CommandContext): void {
  const command = key
    .command('revoke')
    .description('revoke an API key')
    .argument('<key id>', 'key_… from the first column of key list')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault key revoke key_019cadd454567cf2b3f5c9a7d4f0a1b2`,
    );
  withData(command).action((keyId: string, options: OutputOptions) =>
    revoke(keyId, options, context),
  );
}

async function revoke(
  keyId: string,
  options: OutputOptions,
  context: CommandContext,
): Promise<void> {
  await changeDatabase(context, options, ({ administration }) =>
    administration.revokeKey(operator, keyId),
  );
  if (options.json) return printJson(context.terminal, { keyId });
  context.terminal.print(`Revoked ${keyId}.`);
}
