import type { Command } from 'commander';
import { grantableScopes } from '../domain/access.ts';
import { operator } from '../domain/accounts/administration.ts';
import type { HeldClient } from '../domain/oauth-clients/administration.ts';
import type { Shape } from '../domain/shapes.ts';
import {
  type CommandContext,
  changeDatabase,
  type DataOption,
  type OutputOptions,
  readDatabase,
  validBody,
  withData,
} from './command-context.ts';
import { UsageError } from './errors.ts';
import { printJson, table } from './terminal.ts';

/** Adds the commands `client create | list | show | disable | enable | rotate | delete`. */
export function addClientCommands(program: Command, context: CommandContext): void {
  const client = program.command('client').description('manage OAuth clients');
  addCreate(client, context);
  addList(client, context);
  addShow(client, context);
  addSwitch(client, context, { name: 'disable', disabled: true, done: 'Disabled' });
  addSwitch(client, context, { name: 'enable', disabled: false, done: 'Enabled' });
  addRotate(client, context);
  addDelete(client, context);
}

interface CreateOptions extends OutputOptions {
  readonly user: string;
  readonly name: string;
  readonly scopes?: string;
  readonly public?: true;
  readonly redirectUris?: string;
  readonly grantTypes?: string;
}

/** What a client can be allowed, for help and errors. */
const scopeList = `The scopes are ${[...grantableScopes.admin].join(', ')}. Only an admin's client can have admin:*.`;

function addCreate(client: Command, context: CommandContext): void {
  const command = client
    .command('create')
    .description('register an OAuth client for an account; its secret is shown once')
    .requiredOption('--user <account>', 'email address or id of the owner')
    .requiredOption('--name <name>', 'name of the application, as its users see it')
    .option('--scopes <scopes>', 'scopes that it may ask for, separated by commas; required')
    .option('--public', 'runs on the devices of its users, without a secret')
    .option('--redirect-uris <uris>', 'addresses that it may send users to, separated by commas')
    .option(
      '--grant-types <grants>',
      'grants, separated by commas (default: authorization_code,refresh_token)',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
${scopeList}

Examples:
  $ document-vault client create --user ada@example.com --name "Tax Assistant" --scopes vaults:read,documents:read --redirect-uris https://tax.example.com/callback
  $ document-vault client create --user ada@example.com --name Report --scopes instances:read --grant-types client_credentials`,
    );
  withData(command).action((options: CreateOptions) => create(options, context));
}

async function create(options: CreateOptions, context: CommandContext): Promise<void> {
  const { user, name, scopes, redirectUris, grantTypes } = options;
  if (scopes === undefined) {
    throw new UsageError(`--scopes must name what the client may ask for. ${scopeList}`);
  }
  const body = validBody('createOAuthClient', {
    name,
    type: options.public ? 'public' : 'confidential',
    scopes: listed(scopes),
    ...(redirectUris !== undefined && { redirectUris: listed(redirectUris) }),
    ...(grantTypes !== undefined && { grantTypes: listed(grantTypes) }),
  } as Shape<'CreateOAuthClient'>);
  const created = await changeDatabase(context, options, ({ clients }) =>
    clients.create(operator, user, body),
  );
  const { terminal } = context;
  if (options.json) return printJson(terminal, created);
  terminal.print(`Registered ${created.clientId}.`);
  if (created.clientSecret === null) return;
  terminal.print(`Secret, shown only now: ${created.clientSecret}`);
}

function listed(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

interface ListOptions extends OutputOptions {
  readonly user?: string;
}

function addList(client: Command, context: CommandContext): void {
  const command = client
    .command('list')
    .description('list OAuth clients; can run while the server runs')
    .option('--user <account>', 'only clients of this account: email address or id')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault client list
  $ document-vault client list --user ada@example.com --json`,
    );
  withData(command).action((options: ListOptions) => list(options, context));
}

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const clients = await readDatabase(context, options, (services) =>
    services.clients.list(operator, options.user),
  );
  const { terminal } = context;
  if (options.json) return printJson(terminal, clients);
  const rows = clients.map((client) => [
    client.clientId,
    client.email,
    client.name,
    client.type,
    client.scopes.join(','),
    stateOf(client),
  ]);
  terminal.print(table(['CLIENT ID', 'ACCOUNT', 'NAME', 'TYPE', 'SCOPES', 'STATE'], rows));
}

function stateOf({ disabled, verified }: HeldClient): string {
  if (disabled) return 'disabled';
  return verified ? 'verified' : 'enabled';
}

const clientArgument = ['<client id>', 'from the first column of client list'] as const;

function addShow(client: Command, context: CommandContext): void {
  const command = client
    .command('show')
    .description('show an OAuth client; can run while the server runs')
    .argument(...clientArgument)
    .option('--json', 'print JSON')
    .addHelpText('after', exampleOf('show'));
  withData(command).action((clientId: string, options: OutputOptions) =>
    show(clientId, options, context),
  );
}

async function show(
  clientId: string,
  options: OutputOptions,
  context: CommandContext,
): Promise<void> {
  const client = await readDatabase(context, options, ({ clients }) =>
    clients.get(operator, clientId),
  );
  const { terminal } = context;
  if (options.json) return printJson(terminal, client);
  terminal.print(
    table(
      ['FIELD', 'VALUE'],
      [
        ['client id', client.clientId],
        ['account', client.email],
        ['name', client.name],
        ['type', client.type],
        ['state', stateOf(client)],
        ['redirect URIs', client.redirectUris.join(' ') || 'none'],
        ['scopes', client.scopes.join(' ')],
        ['grants', client.grantTypes.join(' ')],
        ['authentication', client.tokenEndpointAuthMethod],
        ['pushed requests', client.requirePar ? 'required' : 'optional'],
        ['previous secret', endOf(client)],
        ['created', client.createdAt],
        ['changed', client.updatedAt],
      ],
    ),
  );
}

function endOf({ previousSecretExpiresAt }: HeldClient): string {
  return previousSecretExpiresAt === null ? 'none' : `valid until ${previousSecretExpiresAt}`;
}

interface Switch {
  readonly name: 'disable' | 'enable';
  readonly disabled: boolean;
  /** What the command has done, as it reports it. */
  readonly done: string;
}

function addSwitch(
  client: Command,
  context: CommandContext,
  { name, disabled, done }: Switch,
): void {
  const effect = disabled ? 'refuse an OAuth client everywhere' : 'admit a disabled OAuth client';
  const command = client
    .command(name)
    .description(effect)
    .argument(...clientArgument)
    .addHelpText('after', exampleOf(name));
  withData(command).action(async (clientId: string, options: DataOption) => {
    await changeDatabase(context, options, ({ clients }) =>
      clients.update(operator, clientId, { disabled }),
    );
    context.terminal.print(`${done} ${clientId}.`);
  });
}

function addRotate(client: Command, context: CommandContext): void {
  const command = client
    .command('rotate')
    .description('make a new secret; the secret before it is valid for 24 more hours')
    .argument(...clientArgument)
    .option('--json', 'print JSON')
    .addHelpText('after', exampleOf('rotate'));
  withData(command).action((clientId: string, options: OutputOptions) =>
    rotate(clientId, options, context),
  );
}

async function rotate(
  clientId: string,
  options: OutputOptions,
  context: CommandContext,
): Promise<void> {
  const rotated = await changeDatabase(context, options, ({ clients }) =>
    clients.rotateSecret(operator, clientId),
  );
  const { terminal } = context;
  if (options.json) return printJson(terminal, rotated);
  const { clientSecret, previousSecretExpiresAt } = rotated;
  terminal.print(`Secret of ${clientId}, shown only now: ${clientSecret}`);
  if (previousSecretExpiresAt === null) return;
  terminal.print(`The previous secret is valid until ${previousSecretExpiresAt}.`);
}

function addDelete(client: Command, context: CommandContext): void {
  const command = client
    .command('delete')
    .description('delete an OAuth client')
    .argument(...clientArgument)
    .addHelpText('after', exampleOf('delete'));
  withData(command).action(async (clientId: string, options: DataOption) => {
    await changeDatabase(context, options, ({ clients }) => clients.remove(operator, clientId));
    context.terminal.print(`Deleted ${clientId}.`);
  });
}

function exampleOf(name: string): string {
  return `
Examples:
  $ document-vault client ${name} 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83`;
}
