import { version } from '../delivery.ts';
import { type Command, nearestNames } from './command.ts';
import { listen } from './listen.ts';
import { secret } from './secret.ts';
import { send } from './send.ts';
import { signCommand, verifyCommand } from './sign-and-verify.ts';
import { endingOf, printable, type Terminal, UsageError } from './terminal.ts';

/** Every command, in the order of the help. */
const commands: readonly Command[] = [secret, signCommand, verifyCommand, send, listen];

const help = `Usage: webhook-verify COMMAND [options]

Signs, verifies, sends and forwards the webhooks of a document vault.

${commands.map(({ name, summary }) => `  ${name.padEnd(16)}${summary}`).join('\n')}
  -h, --help      print this help, or after a command the help of that command
  -V, --version   print the version

The secret comes from WEBHOOK_SECRET. --secret overrides it, but other users of this machine can see
the arguments of a process. Only new secrets are printed.

Exit codes: 0 done, 1 refused or failed, 2 invalid arguments.`;

/**
 * Runs one command line.
 *
 * @param argv the arguments, without the two of Node
 * @returns the exit code: 0 done, 1 refused or failed, 2 invalid arguments
 */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal,
): Promise<0 | 1 | 2> {
  try {
    const [name = '', ...args] = argv;
    if (name === '--help' || name === '-h') terminal.print(help);
    else if (name === '--version' || name === '-V') terminal.print(version);
    else await commandNamed(name).run(args, terminal);
    return 0;
  } catch (error) {
    const { message, exitCode } = endingOf(error);
    terminal.printError(message);
    return exitCode;
  }
}

function commandNamed(name: string): Command {
  if (name === '') throw new UsageError(help);
  const command = commands.find((one) => one.name === name);
  if (command !== undefined) return command;
  const names = commands.map((one) => one.name);
  const near = nearestNames(name, names);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See --help.';
  throw new UsageError(`Unknown command '${printable(name)}'. ${hint}`);
}
