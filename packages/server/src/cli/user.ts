import { Argument, type Command, Option } from 'commander';
import { operator } from '../domain/accounts/administration.ts';
import { randomToken } from '../domain/accounts/secrets.ts';
import type { User } from '../domain/accounts/users.ts';
import type { Tier } from '../domain/shapes.ts';
import {
  type CommandContext,
  changeDatabase,
  changeOrCreateDatabase,
  type OutputOptions,
  readDatabase,
  validBody,
  withData,
} from './command-context.ts';
import { CommandError, UsageError } from './errors.ts';
import { accountLine, printable, printJson, table } from './terminal.ts';

const tiers = ['free', 'paid', 'enterprise'] as const;

/** Adds the commands `user create | list | set-tier | set-password | suspend | resume | delete`. */
export function addUserCommands(program: Command, context: CommandContext): void {
  const user = program.command('user').description('manage accounts');
  addCreate(user, context);
  addList(user, context);
  addSetTier(user, context);
  addSetPassword(user, context);
  addSuspend(user, context);
  addResume(user, context);
  addDelete(user, context);
}

interface CreateOptions extends OutputOptions, PasswordOption {
  readonly email: string;
  readonly name: string;
  readonly role: 'user' | 'admin';
  readonly tier?: Tier;
}

function addCreate(user: Command, context: CommandContext): void {
  const command = user
    .command('create')
    .description('create an account; a generated password is shown once')
    .requiredOption('--email <address>', 'email address to log in with')
    .requiredOption('--name <name>', 'name of the person')
    .option('--password-stdin', 'read the password from standard input')
    .addOption(
      new Option('--role <role>', 'an admin sees every account')
        .choices(['user', 'admin'])
        .default('user'),
    )
    .addOption(
      new Option(
        '--tier <tier>',
        'tier of the account (default: the tier of new accounts)',
      ).choices(tiers),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault user create --email ada@example.com --name "Ada Berger"
  $ document-vault user create --email root@example.com --name Root --role admin --password-stdin < password.txt`,
    );
  withData(command).action((options: CreateOptions) => create(options, context));
}

/** This command and `start` create a missing data folder. */
async function create(options: CreateOptions, context: CommandContext): Promise<void> {
  const { email, name, role, tier } = options;
  const { password, shown } = await passwordFor(options, context);
  const body = validBody('register', { email, name, password });
  const account = await changeOrCreateDatabase(context, options, ({ users }) =>
    users.create(operator, body, { role, tier }),
  );
  printWithPassword(context, options, { verb: 'Created', account, shown });
}

interface PasswordOption {
  readonly passwordStdin?: true;
}

/** A password, which is printed when it was generated. */
interface ChosenPassword {
  readonly password: string;
  readonly shown: string | undefined;
}

/** Reads the password from standard input, or generates one. */
async function passwordFor(
  { passwordStdin }: PasswordOption,
  { terminal }: CommandContext,
): Promise<ChosenPassword> {
  if (passwordStdin) {
    return { password: (await terminal.read()).replace(/\r?\n$/, ''), shown: undefined };
  }
  const password = randomToken();
  return { password, shown: password };
}

function printWithPassword(
  { terminal }: CommandContext,
  { json }: OutputOptions,
  result: { readonly verb: string; readonly account: User; readonly shown: string | undefined },
): void {
  const { verb, account, shown } = result;
  if (json) {
    printJson(terminal, { ...account, ...(shown && { password: shown }) });
    return;
  }
  terminal.print(`${verb} ${accountLine(account)}.`);
  if (shown !== undefined) terminal.print(`Password, shown only now: ${shown}`);
}

function addList(user: Command, context: CommandContext): void {
  const command = user
    .command('list')
    .description('list all accounts; can run while the server runs')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault user list
  $ document-vault user list --json`,
    );
  withData(command).action((options: OutputOptions) => list(options, context));
}

async function list(options: OutputOptions, context: CommandContext): Promise<void> {
  const users = await readDatabase(context, options, ({ administration }) =>
    administration.users(operator),
  );
  const { terminal } = context;
  if (options.json) return printJson(terminal, users);
  const rows = users.map(({ email, name, role, tier, status, createdAt, id }) => [
    email,
    name,
    role,
    tier,
    status,
    createdAt,
    id,
  ]);
  terminal.print(table(['EMAIL', 'NAME', 'ROLE', 'TIER', 'STATUS', 'CREATED', 'ID'], rows));
}

function addSetTier(user: Command, context: CommandContext): void {
  withAccount(user.command('set-tier'))
    .description('change the tier of an account, and with it the limits')
    .addArgument(new Argument('<tier>', 'new tier').choices(tiers))
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault user set-tier ada@example.com paid`,
    )
    .action((account: string, tier: Tier, options: OutputOptions) =>
      update(context, { account, change: { tier }, options }),
    );
}

interface SetPasswordOptions extends OutputOptions, PasswordOption {
  readonly revokeApiKeys?: true;
}

function addSetPassword(user: Command, context: CommandContext): void {
  withAccount(user.command('set-password'))
    .description('set a new password, shown once, and sign the account out everywhere')
    .option('--password-stdin', 'read the password from standard input')
    .option(
      '--revoke-api-keys',
      'end API keys, secrets of OAuth clients and the access of apps, too',
    )
    .addHelpText(
      'after',
      `
Without --revoke-api-keys, API keys and apps keep their access to the account.

Examples:
  $ document-vault user set-password ada@example.com
  $ document-vault user set-password ada@example.com --revoke-api-keys
  $ document-vault user set-password ada@example.com --password-stdin < password.txt`,
    )
    .action((account: string, options: SetPasswordOptions) =>
      setPassword(account, options, context),
    );
}

async function setPassword(
  account: string,
  options: SetPasswordOptions,
  context: CommandContext,
): Promise<void> {
  const { password, shown } = await passwordFor(options, context);
  const changed = await changeDatabase(context, options, async ({ administration }) => {
    const { email, name } = await administration.user(operator, account);
    validBody('register', { email, name, password });
    const { revokeApiKeys = false } = options;
    return administration.setPassword(operator, account, { password, revokeApiKeys });
  });
  printWithPassword(context, options, { verb: 'Set the password of', account: changed, shown });
  if (options.json) return;
  context.terminal.print(
    options.revokeApiKeys
      ? 'API keys, secrets of OAuth clients and the access of apps have ended.'
      : 'API keys and apps keep their access. End it with --revoke-api-keys.',
  );
}

function addSuspend(user: Command, context: CommandContext): void {
  withAccount(user.command('suspend'))
    .description('reject every request of an account with 403 until it is resumed')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault user suspend ada@example.com`,
    )
    .action((account: string, options: OutputOptions) =>
      update(context, { account, change: { status: 'suspended' }, options }),
    );
}

function addResume(user: Command, context: CommandContext): void {
  withAccount(user.command('resume'))
    .description('end the suspension of an account; its tokens and keys work again')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault user resume ada@example.com`,
    )
    .action((account: string, options: OutputOptions) =>
      update(context, { account, change: { status: 'active' }, options }),
    );
}

function withAccount(command: Command): Command {
  return withData(
    command.argument('<account>', 'email address or id').option('--json', 'print JSON'),
  );
}

interface AccountUpdate {
  readonly account: string;
  readonly change: { readonly tier?: Tier; readonly status?: 'active' | 'suspended' };
  readonly options: OutputOptions;
}

async function update(
  context: CommandContext,
  { account, change, options }: AccountUpdate,
): Promise<void> {
  const { before, after } = await changeDatabase(context, options, async ({ administration }) => ({
    before: await administration.user(operator, account),
    after: await administration.updateUser(operator, account, change),
  }));
  const { terminal } = context;
  if (options.json) return printJson(terminal, after);
  const isChanged = before.tier !== after.tier || before.status !== after.status;
  terminal.print(`${isChanged ? 'Changed' : 'Nothing changed:'} ${accountLine(after)}.`);
}

interface DeleteOptions extends OutputOptions {
  readonly yes?: true;
}

function addDelete(user: Command, context: CommandContext): void {
  withAccount(user.command('delete'))
    .description('delete an account with its vaults, documents, keys and webhooks')
    .option('--yes', 'delete without confirmation')
    .addHelpText(
      'after',
      `
Examples:
  $ document-vault user delete ada@example.com
  $ document-vault user delete ada@example.com --yes`,
    )
    .action((account: string, options: DeleteOptions) => remove(account, options, context));
}

async function remove(
  account: string,
  options: DeleteOptions,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  if (!options.yes) requireTerminal(context);
  const user = await changeDatabase(context, options, async ({ administration }) => {
    if (!options.yes) await confirmDeletion(await administration.user(operator, account), context);
    return administration.removeUser(operator, account);
  });
  if (options.json) return printJson(terminal, user);
  terminal.print(`Deleted ${accountLine(user)}.`);
}

/** @throws UsageError when no person can be asked for confirmation */
export function requireTerminal({ terminal }: CommandContext): void {
  if (terminal.isInteractive) return;
  throw new UsageError('No terminal to confirm on. Pass --yes to delete without confirmation.');
}

/**
 * Asks the operator to type the account's address.
 *
 * @throws CommandError for any other answer
 */
export async function confirmDeletion(
  { email }: User,
  { terminal }: CommandContext,
): Promise<void> {
  const answer = await terminal.ask(
    `This deletes ${printable(email)} with all vaults and documents. Type the address to confirm: `,
  );
  if (answer.trim() !== email) throw new CommandError('The address differs. Nothing was deleted.');
}
