import { helpText } from '../config/options.ts';
import { suggestion } from '../generated/rules/parameters.ts';
import { assertNodeVersion, version } from '../lib/version.ts';
import { clientCommands } from './client.ts';
import { type Command, columns, helpOf, parse, usageOf } from './command.ts';
import type { CommandContext } from './command-context.ts';
import { databaseCommands } from './database.ts';
import { developmentAccountCommands } from './development-account.ts';
import { endingOf, UsageError } from './errors.ts';
import { keyCommands } from './key.ts';
import { keysCommands } from './keys.ts';
import { maintenanceCommands } from './maintenance.ts';
import { masterKeyCommands } from './master-key.ts';
import { startCommand } from './start.ts';
import { userCommands } from './user.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  startCommand,
  ...userCommands,
  ...keyCommands,
  ...clientCommands,
  ...keysCommands,
  ...masterKeyCommands,
  ...developmentAccountCommands,
  ...maintenanceCommands,
  ...databaseCommands,
];

/**
 * Runs one command line.
 *
 * @param argv the arguments, without those of node
 * @returns the exit code: 0 success, 1 failure, 2 wrong arguments or configuration
 */
export async function runCommandLine(
  argv: readonly string[],
  context: CommandContext,
): Promise<0 | 1 | 2> {
  const { terminal } = context;
  try {
    assertNodeVersion();
    const help = helpFor(argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv);
    if (help === undefined) return await run(argv, context);
    terminal.print(help);
    return 0;
  } catch (error) {
    const { message, exitCode } = endingOf(error);
    terminal.printError(message);
    return exitCode;
  }
}

/** Returns the version or the help that the arguments ask for; undefined when they ask for none. */
function helpFor(argv: readonly string[]): string | undefined {
  const [first = '', second = ''] = argv;
  if (first === '--version' || first === '-V') return version;
  if (isHelp(first)) return programHelp();
  if (isHelp(second) && groupOf(first).length > 0) return groupHelp(first);
  if (!argv.some(isHelp)) return undefined;
  return helpOf(commandOf(argv).command);
}

const isHelp = (word: string) => word === '--help' || word === '-h';

async function run(argv: readonly string[], context: CommandContext): Promise<0 | 1> {
  const { command, args } = commandOf(argv);
  const given = command.takesConfiguration ? {} : parse(command, args);
  const { result, lines, hasFailed = false } = await command.run(given, context, args);
  const texts = given.json ? [JSON.stringify(result, null, 2)] : lines;
  for (const text of texts) context.terminal.print(text);
  return hasFailed ? 1 : 0;
}

/**
 * Finds the command and its own arguments. Flags without a command are those of `start`.
 *
 * @throws UsageError
 */
function commandOf(argv: readonly string[]): { command: Command; args: readonly string[] } {
  const [first = '', second = ''] = argv;
  if (first === '' || first.startsWith('-')) return { command: startCommand, args: argv };
  const command = commands.find(({ name }) => name === first || name === `${first} ${second}`);
  if (command) return { command, args: argv.slice(command.name.split(' ').length) };
  const group = groupOf(first);
  if (group.length > 0 && second === '') throw new UsageError(groupHelp(first));
  const [unknown, known] =
    group.length > 0
      ? [`${first} ${second}`, group.map(({ name }) => name)]
      : [first, commands.map(({ name }) => name.replace(/ .*/, ''))];
  const hint = suggestion(unknown, known) || ' See document-vault --help.';
  throw new UsageError(`Unknown command '${unknown}'.${hint}`);
}

/** Returns the commands with this first word of two. */
function groupOf(word: string): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${word} `));
}

function groupHelp(word: string): string {
  return `Usage: document-vault ${word} <command> [options]\n\n${commandList(groupOf(word))}`;
}

function programHelp(): string {
  return [
    'Usage: document-vault [command] [options]',
    'Runs and maintains a Document Vault server.',
    commandList(commands),
    `Options:\n${columns([
      ['-V, --version', 'print the version'],
      ['-h, --help', 'print this help, or after a command the help of that command'],
    ])}`,
    helpText(),
  ].join('\n\n');
}

function commandList(listed: readonly Command[]): string {
  return `Commands:\n${columns(listed.map((command) => [usageOf(command), command.summary]))}`;
}
