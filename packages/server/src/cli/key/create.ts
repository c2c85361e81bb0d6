import type { Command } from 'commander';
import { duration } from '../../config/kinds.ts';
import { operator } from '../../domain/accounts/administration.ts';
import { type Scope, timestamp } from '../../domain/shapes.ts';
import { approvedBody } from '../approved-body.ts';
import {
  type Context,
  changing,
  configOf,
  type DataOption,
  dataFolder,
  withData,
} from '../workplace.ts';

interface Options extends DataOption {
  readonly user: string;
  readonly name: string;
  readonly scopes: string;
  readonly expires?: string;
  readonly json?: true;
}

/** `key create` */
export function addKeyCreate(key: Command, context: Context): void {
  const command = key
    .command('create')
    .description('make an API key for an account; it is shown once')
    .requiredOption('--user <account>', 'email address or id')
    .requiredOption('--name <name>', 'name to recognise the key by')
    .requiredOption('--scopes <scopes>', 'what the key may do, with commas between')
    .option('--expires <when>', 'a moment in ISO 8601, or a time from now (default: it does not)')
    .option('--json', 'print JSON')
    .addHelpText('after', examples);
  withData(command).action((options: Options) => run(options, context));
}

const examples = `
Examples:
  $ document-vault key create --user ada@example.com --name "Backup job" --scopes vaults:read,documents:read
  $ document-vault key create --user ada@example.com --name CI --scopes vaults:read --expires 90d`;

async function run(options: Options, context: Context): Promise<void> {
  const { user, name, expires } = options;
  const body = approvedBody('createApiKey', {
    name,
    scopes: options.scopes.split(',').map((scope) => scope.trim() as Scope),
    ...(expires !== undefined && { expiresAt: momentOf(expires, context.clock.now()) }),
  });
  dataFolder(context, options);
  const created = await changing(context, configOf(context, options), ({ administration }) =>
    administration.createKey(operator, user, body),
  );
  const { terminal } = context;
  if (options.json) return terminal.print(JSON.stringify(created, null, 2));
  const end = created.expiresAt === null ? 'it does not expire' : `until ${created.expiresAt}`;
  terminal.print(`Created ${created.keyId}, ${end}.`);
  terminal.print(`Key, shown this once: ${created.key}`);
}

const tenYears = 10 * 365 * 24 * 60 * 60 * 1000;

/** A time from now as the moment it ends; anything else is for the contract to judge. */
function momentOf(expires: string, now: number): string {
  const kind = duration(1, tenYears);
  const span = kind.read(kind.parse(expires));
  return span === undefined ? expires : timestamp(now + span);
}
