import { type Command, Option } from 'commander';
import { operator } from '../../domain/accounts/administration.ts';
import { randomToken } from '../../domain/accounts/secrets.ts';
import type { Tier } from '../../domain/shapes.ts';
import { approvedBody } from '../approved-body.ts';
import { type Context, changing, configOf, type DataOption, withData } from '../workplace.ts';
import { accountLine } from './account-line.ts';

interface Options extends DataOption {
  readonly email: string;
  readonly name: string;
  readonly passwordStdin?: true;
  readonly role: 'user' | 'admin';
  readonly tier?: Tier;
  readonly json?: true;
}

/** `user create`: the only command that makes a data folder when there is none. */
export function addUserCreate(user: Command, context: Context): void {
  const command = user
    .command('create')
    .description('make an account; a generated password is shown once')
    .requiredOption('--email <address>', 'the name to log in with')
    .requiredOption('--name <name>', 'name of the person')
    .option('--password-stdin', 'take the password from standard input')
    .addOption(
      new Option('--role <role>', 'admin sees every account')
        .choices(['user', 'admin'])
        .default('user'),
    )
    .addOption(new Option('--tier <tier>', 'limits (default: that of new accounts)').choices(tiers))
    .option('--json', 'print JSON')
    .addHelpText('after', examples);
  withData(command).action((options: Options) => run(options, context));
}

export const tiers = ['free', 'paid', 'enterprise'] as const;

const examples = `
Examples:
  $ document-vault user create --email ada@example.com --name "Ada Berger"
  $ document-vault user create --email root@example.com --name Root --role admin --password-stdin < password.txt`;

async function run(options: Options, context: Context): Promise<void> {
  const { email, name, role, tier } = options;
  const { terminal } = context;
  const chosen = options.passwordStdin ? withoutLineEnd(await terminal.read()) : undefined;
  const password = chosen ?? randomToken();
  const body = approvedBody('register', { email, name, password });
  const account = await changing(context, configOf(context, options), ({ users }) =>
    users.create(operator, body, { role, tier }),
  );
  const generated = chosen === undefined ? { password } : {};
  if (options.json) return terminal.print(JSON.stringify({ ...account, ...generated }, null, 2));
  terminal.print(`Created ${accountLine(account)}.`);
  if (chosen === undefined) terminal.print(`Password, shown this once: ${password}`);
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
