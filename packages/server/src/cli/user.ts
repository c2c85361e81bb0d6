import { tiers } from '../config/kinds.ts';
import { operator } from '../domain/accounts/administration.ts';
import { randomToken } from '../domain/accounts/secrets.ts';
import type { User } from '../domain/accounts/users.ts';
import type { Tier } from '../domain/shapes.ts';
import { command, common, type Report } from './command.ts';
import {
  type CommandContext,
  changeDatabase,
  configOf,
  type DataOption,
  type OperatorServices,
  readDatabase,
  validBody,
} from './command-context.ts';
import { CommandError, UsageError } from './errors.ts';
import { accountLine, printable, table } from './terminal.ts';

const accountArgument = { account: { help: 'email address or id' } } as const;

const passwordStdin = { help: 'read the password from standard input' } as const;

export const userCommands = [
  command({
    name: 'user create',
    summary: 'create an account; a generated password is shown once',
    options: {
      email: { value: 'address', help: 'email address to log in with', isRequired: true },
      name: { value: 'name', help: 'name of the person', isRequired: true },
      'password-stdin': passwordStdin,
      role: {
        value: 'role',
        help: 'an admin sees every account',
        choices: ['user', 'admin'],
        default: 'user',
      },
      tier: {
        value: 'tier',
        help: 'tier of the account; default: the tier of new accounts',
        choices: tiers,
      },
      ...common,
    },
    examples: [
      'document-vault user create --email ada@example.com --name "Ada Berger"',
      'document-vault user create --email root@example.com --name Root --role admin --password-stdin < password.txt',
    ],
    // This command and `start` create a missing data folder.
    async run({ email, name, role, tier, ...given }, context) {
      const chosen = await passwordFor(given['password-stdin'], context);
      const body = validBody('register', { email, name, password: chosen.password });
      const create = ({ users }: OperatorServices) => users.create(operator, body, { role, tier });
      const account = await changeDatabase(context, given, create, configOf);
      return reportWithPassword('Created', account, chosen);
    },
  }),
  command({
    name: 'user list',
    summary: 'list all accounts; can run while the server runs',
    options: common,
    examples: ['document-vault user list', 'document-vault user list --json'],
    async run(given, context) {
      const users = await readDatabase(context, given, ({ administration }) =>
        administration.users(operator),
      );
      const rows = users.map(({ email, name, role, tier, status, createdAt, id }) => {
        return [email, name, role, tier, status, createdAt, id];
      });
      const headings = ['EMAIL', 'NAME', 'ROLE', 'TIER', 'STATUS', 'CREATED', 'ID'];
      return { result: users, lines: [table(headings, rows)] };
    },
  }),
  command({
    name: 'user set-tier',
    summary: 'change the tier of an account, and with it the limits',
    arguments: { ...accountArgument, tier: { help: 'new tier', choices: tiers } },
    options: common,
    examples: ['document-vault user set-tier ada@example.com paid'],
    run: ({ account, tier, ...given }, context) => update(context, given, { account, tier }),
  }),
  command({
    name: 'user set-password',
    summary: 'set a new password, shown once, and sign the account out everywhere',
    arguments: accountArgument,
    options: {
      'password-stdin': passwordStdin,
      'revoke-api-keys': {
        help: 'end API keys, secrets of OAuth clients and the access of apps, too',
      },
      ...common,
    },
    notes: 'Without --revoke-api-keys, API keys and apps keep their access to the account.',
    examples: [
      'document-vault user set-password ada@example.com',
      'document-vault user set-password ada@example.com --revoke-api-keys',
      'document-vault user set-password ada@example.com --password-stdin < password.txt',
    ],
    async run({ account, ...given }, context) {
      const revokeApiKeys = given['revoke-api-keys'];
      const chosen = await passwordFor(given['password-stdin'], context);
      const { password } = chosen;
      const changed = await changeDatabase(context, given, async ({ administration }) => {
        const { email, name } = await administration.user(operator, account);
        validBody('register', { email, name, password });
        return administration.setPassword(operator, account, { password, revokeApiKeys });
      });
      const { result, lines } = reportWithPassword('Set the password of', changed, chosen);
      const access = revokeApiKeys
        ? 'API keys, secrets of OAuth clients and the access of apps have ended.'
        : 'API keys and apps keep their access. End it with --revoke-api-keys.';
      return { result, lines: [...lines, access] };
    },
  }),
  command({
    name: 'user suspend',
    summary: 'reject every request of an account with 403 until it is resumed',
    arguments: accountArgument,
    options: common,
    examples: ['document-vault user suspend ada@example.com'],
    run: ({ account, ...given }, context) =>
      update(context, given, { account, status: 'suspended' }),
  }),
  command({
    name: 'user resume',
    summary: 'end the suspension of an account; its tokens and keys work again',
    arguments: accountArgument,
    options: common,
    examples: ['document-vault user resume ada@example.com'],
    run: ({ account, ...given }, context) => update(context, given, { account, status: 'active' }),
  }),
  command({
    name: 'user delete',
    summary: 'delete an account with its vaults, documents, keys and webhooks',
    arguments: accountArgument,
    options: { yes: { help: 'delete without confirmation' }, ...common },
    examples: [
      'document-vault user delete ada@example.com',
      'document-vault user delete ada@example.com --yes',
    ],
    async run({ account, yes, ...given }, context) {
      if (!yes) requireTerminal(context);
      const user = await changeDatabase(context, given, async ({ administration }) => {
        if (!yes) await confirmDeletion(await administration.user(operator, account), context);
        return administration.removeUser(operator, account);
      });
      return { result: user, lines: [`Deleted ${accountLine(user)}.`] };
    },
  }),
];

interface ChosenPassword {
  readonly password: string;
  readonly isGenerated: boolean;
}

/** Reads the password from standard input, or generates one. */
async function passwordFor(
  isInput: boolean,
  { terminal }: CommandContext,
): Promise<ChosenPassword> {
  if (!isInput) return { password: randomToken(), isGenerated: true };
  return { password: (await terminal.read()).replace(/\r?\n$/, ''), isGenerated: false };
}

/** Shows a generated password, which cannot be read later. */
function reportWithPassword(
  verb: string,
  account: User,
  { password, isGenerated }: ChosenPassword,
): Report {
  return {
    result: { ...account, ...(isGenerated && { password }) },
    lines: [
      `${verb} ${accountLine(account)}.`,
      ...(isGenerated ? [`Password, shown only now: ${password}`] : []),
    ],
  };
}

interface AccountUpdate {
  readonly account: string;
  readonly tier?: Tier;
  readonly status?: 'active' | 'suspended';
}

async function update(
  context: CommandContext,
  given: DataOption,
  { account, ...change }: AccountUpdate,
): Promise<Report> {
  const { before, after } = await changeDatabase(context, given, async ({ administration }) => ({
    before: await administration.user(operator, account),
    after: await administration.updateUser(operator, account, change),
  }));
  const isChanged = before.tier !== after.tier || before.status !== after.status;
  const verb = isChanged ? 'Changed' : 'Nothing changed:';
  return { result: after, lines: [`${verb} ${accountLine(after)}.`] };
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
