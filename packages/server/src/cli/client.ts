import { readFile } from 'node:fs/promises';
import { operator } from '../domain/accounts/administration.ts';
import type { HeldClient } from '../domain/oauth/administration.ts';
import type { Shape } from '../domain/shapes.ts';
import { command, common } from './command.ts';
import { changeDatabase, readDatabase, validBody } from './command-context.ts';
import { UsageError } from './errors.ts';
import { scopeList } from './key.ts';
import { table } from './terminal.ts';

const clientArgument = { 'client-id': { help: 'from the first column of client list' } } as const;

const requirePar = { help: 'must push its authorization requests' } as const;

const exampleId = '019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83';

/** Commands that change one field of a client. */
const switches: readonly {
  readonly name: string;
  readonly summary: string;
  readonly fields: Shape<'UpdateOAuthClient'>;
  /** What the command has done, as it reports it. */
  readonly done: string;
}[] = [
  {
    name: 'disable',
    summary: 'refuse an OAuth client everywhere',
    fields: { disabled: true },
    done: 'Disabled',
  },
  {
    name: 'enable',
    summary: 'admit a disabled OAuth client',
    fields: { disabled: false },
    done: 'Enabled',
  },
  {
    name: 'verify',
    summary: 'confirm who owns an OAuth client; the consent page calls it verified',
    fields: { verified: true },
    done: 'Verified',
  },
  {
    name: 'unverify',
    summary: 'take the confirmation of an OAuth client back',
    fields: { verified: false },
    done: 'No longer verified:',
  },
];

export const clientCommands = [
  command({
    name: 'client create',
    summary: 'register an OAuth client for an account; its secret is shown once',
    options: {
      user: { value: 'account', help: 'email address or id of the owner', isRequired: true },
      name: {
        value: 'name',
        help: 'name of the application, as its users see it',
        isRequired: true,
      },
      scopes: {
        value: 'scopes',
        help: 'scopes that it may ask for, separated by commas; required',
      },
      public: { help: 'runs on the devices of its users, without a secret' },
      'redirect-uris': {
        value: 'uris',
        help: 'addresses that it may send users to, separated by commas',
      },
      'grant-types': {
        value: 'grants',
        help: 'grants, separated by commas (default: authorization_code,refresh_token)',
      },
      'token-endpoint-auth-method': {
        value: 'method',
        help: 'client_secret_basic, client_secret_post, private_key_jwt or none (default: by its type)',
      },
      jwks: { value: 'file', help: 'file with its public keys as a JSON Web Key Set' },
      'require-par': requirePar,
      ...common,
    },
    notes: scopeList('client'),
    examples: [
      'document-vault client create --user ada@example.com --name "Tax Assistant" --scopes vaults:read,documents:read --redirect-uris https://tax.example.com/callback',
      'document-vault client create --user ada@example.com --name Report --scopes instances:read --grant-types client_credentials',
    ],
    async run({ user, ...given }, context) {
      if (given.scopes === undefined) {
        const message = '--scopes must name what the client may ask for.';
        throw new UsageError(`${message} ${scopeList('client')}`);
      }
      const tokenEndpointAuthMethod = given['token-endpoint-auth-method'];
      const body = validBody('createOAuthClient', {
        type: given.public ? 'public' : 'confidential',
        ...(await fieldsOf(given)),
        ...(tokenEndpointAuthMethod !== undefined && { tokenEndpointAuthMethod }),
      } as Shape<'CreateOAuthClient'>);
      const created = await changeDatabase(context, given, ({ clients }) =>
        clients.create(operator, user, body),
      );
      const { clientId, clientSecret } = created;
      const secret = clientSecret === null ? [] : [`Secret, shown only now: ${clientSecret}`];
      return { result: created, lines: [`Registered ${clientId}.`, ...secret] };
    },
  }),
  command({
    name: 'client list',
    summary: 'list OAuth clients; can run while the server runs',
    options: {
      user: { value: 'account', help: 'only clients of this account: email address or id' },
      ...common,
    },
    examples: [
      'document-vault client list',
      'document-vault client list --user ada@example.com --json',
    ],
    async run({ user, ...given }, context) {
      const clients = await readDatabase(context, given, (services) =>
        services.clients.list(operator, user),
      );
      const rows = clients.map((client) => [
        client.clientId,
        client.email,
        client.name,
        client.type,
        client.scopes.join(','),
        stateOf(client),
      ]);
      const headings = ['CLIENT ID', 'ACCOUNT', 'NAME', 'TYPE', 'SCOPES', 'STATE'];
      return { result: clients, lines: [table(headings, rows)] };
    },
  }),
  command({
    name: 'client show',
    summary: 'show an OAuth client; can run while the server runs',
    arguments: clientArgument,
    options: common,
    examples: [`document-vault client show ${exampleId}`],
    async run({ 'client-id': clientId, ...given }, context) {
      const client = await readDatabase(context, given, ({ clients }) =>
        clients.get(operator, clientId),
      );
      return { result: client, lines: [table(['FIELD', 'VALUE'], fieldRows(client))] };
    },
  }),
  command({
    name: 'client update',
    summary: 'change an OAuth client; its users are asked again after another name or address',
    arguments: clientArgument,
    options: {
      name: { value: 'name', help: 'new name' },
      scopes: { value: 'scopes', help: 'all scopes that it may ask for, separated by commas' },
      'redirect-uris': { value: 'uris', help: 'all addresses that it may send users to' },
      'grant-types': { value: 'grants', help: 'all its grants, separated by commas' },
      jwks: { value: 'file', help: 'file with its new public keys as a JSON Web Key Set' },
      'require-par': requirePar,
      'no-require-par': { help: 'need not push its authorization requests' },
      ...common,
    },
    notes: scopeList('client'),
    examples: [
      `document-vault client update ${exampleId} --name "Tax Assistant 2"`,
      `document-vault client update ${exampleId} --scopes vaults:read,documents:read`,
    ],
    async run({ 'client-id': clientId, ...given }, context) {
      const fields: Shape<'UpdateOAuthClient'> = {
        ...(await fieldsOf(given)),
        ...(given['no-require-par'] && { requirePar: false }),
      };
      if (Object.keys(fields).length === 0) {
        throw new UsageError('Name what to change, for example --name "Tax Assistant 2".');
      }
      const body = validBody('updateOAuthClient', fields);
      const updated = await changeDatabase(context, given, ({ clients }) =>
        clients.update(operator, clientId, body),
      );
      return { result: updated, lines: [`Changed ${clientId}.`] };
    },
  }),
  ...switches.map(({ name, summary, fields, done }) =>
    command({
      name: `client ${name}`,
      summary,
      arguments: clientArgument,
      options: common,
      examples: [`document-vault client ${name} ${exampleId}`],
      async run({ 'client-id': clientId, ...given }, context) {
        const changed = await changeDatabase(context, given, ({ clients }) =>
          clients.update(operator, clientId, fields),
        );
        return { result: changed, lines: [`${done} ${clientId}.`] };
      },
    }),
  ),
  command({
    name: 'client rotate',
    summary: 'make a new secret; the secret before it is valid for 24 more hours',
    arguments: clientArgument,
    options: common,
    examples: [`document-vault client rotate ${exampleId}`],
    async run({ 'client-id': clientId, ...given }, context) {
      const rotated = await changeDatabase(context, given, ({ clients }) =>
        clients.rotateSecret(operator, clientId),
      );
      const { clientSecret, previousSecretExpiresAt: end } = rotated;
      const previous = end === null ? [] : [`The previous secret is valid until ${end}.`];
      const secret = `Secret of ${clientId}, shown only now: ${clientSecret}`;
      return { result: rotated, lines: [secret, ...previous] };
    },
  }),
  command({
    name: 'client delete',
    summary: 'delete an OAuth client',
    arguments: clientArgument,
    options: common,
    examples: [`document-vault client delete ${exampleId}`],
    async run({ 'client-id': clientId, ...given }, context) {
      await changeDatabase(context, given, ({ clients }) => clients.remove(operator, clientId));
      return { result: { clientId }, lines: [`Deleted ${clientId}.`] };
    },
  }),
];

/** Returns the fields that the options name. Lists are separated by commas. */
async function fieldsOf(given: {
  readonly name: string | undefined;
  readonly scopes: string | undefined;
  readonly 'redirect-uris': string | undefined;
  readonly 'grant-types': string | undefined;
  /** The path of a file. */
  readonly jwks: string | undefined;
  readonly 'require-par': boolean;
}): Promise<object> {
  const { name, scopes, 'redirect-uris': redirectUris, 'grant-types': grantTypes, jwks } = given;
  return {
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes: listed(scopes) }),
    ...(redirectUris !== undefined && { redirectUris: listed(redirectUris) }),
    ...(grantTypes !== undefined && { grantTypes: listed(grantTypes) }),
    ...(jwks !== undefined && { jwks: await readKeys(jwks) }),
    ...(given['require-par'] && { requirePar: true }),
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

function stateOf({ disabled, verified }: HeldClient): string {
  if (disabled) return 'disabled';
  return verified ? 'verified' : 'enabled';
}

function fieldRows(client: HeldClient): readonly (readonly string[])[] {
  const { previousSecretExpiresAt: end } = client;
  return [
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
    ['previous secret', end === null ? 'none' : `valid until ${end}`],
    ['created', client.createdAt],
    ['changed', client.updatedAt],
  ];
}
