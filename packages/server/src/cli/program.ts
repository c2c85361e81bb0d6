import { Command } from 'commander';
import { helpText } from '../config/options.ts';
import { assertNodeVersion, version } from '../version.ts';
import { addClientCommands } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { addDatabaseCommands } from './database.ts';
import { addDevelopmentAccountCommands } from './development-account.ts';
import { endingOf } from './errors.ts';
import { addKeyCommands } from './key.ts';
import { addKeysCommands } from './keys.ts';
import { addMaintenanceCommands } from './maintenance.ts';
import { addMasterKeyCommands } from './master-key.ts';
import { addStart } from './start.ts';
import { addUserCommands } from './user.ts';

/**
 * Runs one command line.
 *
 * @param argv the arguments, without those of node
 * @returns the exit code: 0 success, 1 failure, 2 wrong arguments or configuration
 */
export async function runCommandLine(
  argv: readonly string[],
  context: CommandContext,
): Promise<number> {
  try {
    assertNodeVersion();
    const complete = withCommand(argv);
    await createProgram(complete, context).parseAsync(complete, { from: 'user' });
    return 0;
  } catch (error) {
    const { message, exitCode } = endingOf(error);
    if (message !== undefined) context.terminal.printError(message);
    return exitCode;
  }
}

/** Adds `start` to arguments without a command. */
function withCommand(argv: readonly string[]): readonly string[] {
  const [first = ''] = argv;
  const isCommand = first !== '' && !first.startsWith('-');
  return isCommand || programFlags.includes(first) ? argv : ['start', ...argv];
}

const programFlags = ['--help', '-h', '--version', '-V'];

function createProgram(argv: readonly string[], context: CommandContext): Command {
  const { terminal } = context;
  const program = new Command('document-vault')
    .description('Runs and maintains a Document Vault server.')
    .usage('[command] [options]')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.printError(text.trimEnd()),
      outputError: (text, write) => write(toSentences(text)),
    })
    .addHelpText('after', () => `\n${helpText()}`);

  addStart(program, context, argv.slice(1));
  addUserCommands(program, context);
  addKeyCommands(program, context);
  addClientCommands(program, context);
  addKeysCommands(program, context);
  addMasterKeyCommands(program, context);
  addDevelopmentAccountCommands(program, context);
  addMaintenanceCommands(program, context);
  addDatabaseCommands(program, context);
  return program;
}

/** Turns Commander's `error: unknown command 'usr'\n(Did you mean user?)` into two sentences. */
function toSentences(text: string): string {
  const [problem = '', hint = ''] = text
    .trim()
    .replace(/^error: /, '')
    .split('\n');
  const sentence = problem.charAt(0).toUpperCase() + problem.slice(1).replace(/\.$/, '');
  return `${sentence}. ${hint.replace(/^\((.*)\)$/, '$1')}`.trimEnd();
}
