import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { grantableScopes } from '../domain/access.ts';
import { operator } from '../domain/accounts/administration.ts';
import type { HeldClient } from '../domain/oauth-clients/administration.ts';
import type { Shape } from '../domain/shapes.ts';
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

/** Adds the commands `client create | list | show | update | disable | enable | verify | unverify | rotate | delete`. */
export function addClientCommands(program: Command, context: CommandContext): void {
  const client = program.command('client').description('manage OAuth clients');
  addCreate(client, context);
  addList(client, context);
  addShow(client, context);
  addUpdate(client, context);
  for (const each of switches) addSwitch(client, context, each);
  addRotate(client, context);
  addDelete(client, context);
}

/** Fields of a client as options. Lists are separated by commas. */
interface FieldOptions extends OutputOptions {
  readonly name?: string;
  readonly scopes?: string;
  readonly redirectUris?: string;
  readonly grantTypes?: string;
  /** The path of a file. */
  readonly jwks?: string;
  readonly requirePar?: boolean;
}

interface CreateOptions extends FieldOptions {
  readonly user: string;
  readonly public?: true;
  readonly tokenEndpointAuthMethod?: string;
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
    .option(
      '--token-endpoint-auth-method <method>',
      'client_secret_basic, client_secret_post, private_key_jwt or none (default: by its type)',
    )
    .option('--jwks <file>', 'file with its public keys as a JSON Web Key Set')
    .option('--require-par', 'must push its authorization requests')
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
  const { user, tokenEndpointAuthMethod } = options;
  if (options.scopes === undefined) {
    throw new UsageError(`--scopes must name what the client may ask for. ${scopeList}`);
  }
  const body = validBody('createOAuthClient', {
    type: options.public ? 'public' : 'confidential',
    ...(await fieldsOf(options)),
    ...(tokenEndpointAuthMethod !== undefined && { tokenEndpointAuthMethod }),
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

/** Returns the fields that the options name. */
async function fieldsOf(options: FieldOptions): Promise<object> {
  const { name, scopes, redirectUris, grantTypes, jwks, requirePar } = options;
  return {
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes: listed(scopes) }),
    ...(redirectUris !== undefined && { redirectUris: listed(redirectUris) }),
    ...(grantTypes !== undefined && { grantTypes: listed(grantTypes) }),
    ...(jwks !== undefined && { jwks: await readKeys(jwks) }),
    ...(requirePar !== undefined && { requirePar }),
  };
}

function listed(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

async function readKeys(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new UsageError(`--jwks: ${file} is no readable JSON file.`, { cause });
  }
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
        ['state', client.disabled ? 'disabled' : 'enabled'],
        ['verified', client.verified ? 'yes' : 'no'],
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

function addUpdate(client: Command, context: CommandContext): void {
  const command = client
    .command('update')
    .description('change an OAuth client; its users are asked again after another name or address')
    .argument(...clientArgument)
    .option('--name <name>', 'new name')
    .option('--scopes <scopes>', 'all scopes that it may ask for, separated by commas')
    .option('--redirect-uris <uris>', 'all addresses that it may send users to')
    .option('--grant-types <grants>', 'all its grants, separated by commas')
    .option('--jwks <file>', 'file with its new public keys as a JSON Web Key Set')
    .option('--require-par', 'must push its authorization requests')
    .option('--no-require-par', 'need not push its authorization requests')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
${scopeList}

Examples:
  $ document-vault client update ${exampleId} --name "Tax Assistant 2"
  $ document-vault client update ${exampleId} --scopes vaults:read,documents:read`,
    );
  withData(command).action((clientId: string, options: FieldOptions) =>
    update(clientId, options, context),
  );
}

async function update(
  clientId: string,
  options: FieldOptions,
  context: CommandContext,
): Promise<void> {
  const fields: Shape<'UpdateOAuthClient'> = await fieldsOf(options);
  if (Object.keys(fields).length === 0) {
    throw new UsageError('Name what to change, for example --name "Tax Assistant 2".');
  }
  const body = validBody('updateOAuthClient', fields);
  const updated = await changeDatabase(context, options, ({ clients }) =>
    clients.update(operator, clientId, body),
  );
  const { terminal } = context;
  if (options.json) return printJson(terminal, updated);
  terminal.print(`Changed ${clientId}.`);
}

interface Switch {
  readonly name: string;
  readonly effect: string;
  readonly fields: Shape<'UpdateOAuthClient'>;
  /** What the command has done, as it reports it. */
  readonly done: string;
}

const switches: readonly Switch[] = [
  {
    name: 'disable',
    effect: 'refuse an OAuth client everywhere',
    fields: { disabled: true },
    done: 'Disabled',
  },
  {
    name: 'enable',
    effect: 'admit a disabled OAuth client',
    fields: { disabled: false },
    done: 'Enabled',
  },
  {
    name: 'verify',
    effect: 'confirm who owns an OAuth client; the consent page calls it verified',
    fields: { verified: true },
    done: 'Verified',
  },
  {
    name: 'unverify',
    effect: 'take the confirmation of an OAuth client back',
    fields: { verified: false },
    done: 'No longer verified:',
  },
];

function addSwitch(
  client: Command,
  context: CommandContext,
  { name, effect, fields, done }: Switch,
): void {
  const command = client
    .command(name)
    .description(effect)
    .argument(...clientArgument)
    .option('--json', 'print JSON')
    .addHelpText('after', exampleOf(name));
  withData(command).action(async (clientId: string, options: OutputOptions) => {
    const changed = await changeDatabase(context, options, ({ clients }) =>
      clients.update(operator, clientId, fields),
    );
    if (options.json) return printJson(context.terminal, changed);
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
    .option('--json', 'print JSON')
    .addHelpText('after', exampleOf('delete'));
  withData(command).action(async (clientId: string, options: OutputOptions) => {
    await changeDatabase(context, options, ({ clients }) => clients.remove(operator, clientId));
    if (options.json) return printJson(context.terminal, { clientId });
    context.terminal.print(`Deleted ${clientId}.`);
  });
}

const exampleId = '019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83';

function exampleOf(name: string): string {
  return `
Examples:
  $ document-vault client ${name} ${exampleId}`;
}
