import { version } from '../version.ts';
import { endingOf, UsageError } from './failures.ts';
import { nearestNames } from './nearest.ts';
import { printable } from './printable.ts';
import { runSend } from './send.ts';
import { runSign } from './sign.ts';
import type { Terminal } from './terminal.ts';
import { runVerify } from './verify.ts';

const help = `\
Usage: webhook-verify COMMAND [options]

Signs, verifies and sends the webhooks of a document vault.

  sign      prints the signature of a body
  verify    verifies a body against its signature
  send      sends an event to a receiver, as the service does

  -h, --help      this text, or after a command that of the command
  -V, --version   the version

The secret is read from WEBHOOK_SECRET. --secret takes one too, where other users of the machine may
see it. Neither is ever printed.

Exit codes: 0 done, 1 refused or failed, 2 not understood.`;

type Command = (args: readonly string[], terminal: Terminal) => Promise<void>;

const commands: ReadonlyMap<string, Command> = new Map([
  ['sign', runSign],
  ['verify', runVerify],
  ['send', runSend],
]);

/**
 * Runs one command line.
 *
 * @param argv the arguments, without those of node
 * @returns the exit code: 0 done, 1 refused or failed, 2 not understood
 */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal,
): Promise<0 | 1 | 2> {
  try {
    const [name = '', ...args] = argv;
    if (name === '--help' || name === '-h') terminal.print(help);
    else if (name === '--version' || name === '-V') terminal.print(version);
    else await commandNamed(name)(args, terminal);
    return 0;
  } catch (error) {
    const { message, exitCode } = endingOf(error);
    terminal.complain(message);
    return exitCode;
  }
}

function commandNamed(name: string): Command {
  if (name === '') throw new UsageError(help);
  const command = commands.get(name);
  if (command !== undefined) return command;
  const near = nearestNames(name, [...commands.keys()]);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See --help.';
  throw new UsageError(`Unknown command '${printable(name)}'. ${hint}`);
}
