import { sign } from '../sign.ts';
import { onlyArgument, parseArguments } from './arguments.ts';
import { readBytes } from './input.ts';
import { secretOption, signingSecret } from './secrets.ts';
import type { Terminal } from './terminal.ts';

const help = `\
Usage: webhook-verify sign [FILE|-] [--secret SECRET]

Prints the value of the X-Service-Signature header for exactly the bytes of FILE, or of standard
input.

  --secret SECRET   the secret of the webhook; default: WEBHOOK_SECRET of the environment`;

export async function runSign(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArguments(args, secretOption);
  if (values.help) return terminal.print(help);
  const file = onlyArgument(positionals, 'FILE');
  const secret = signingSecret(values.secret, terminal);
  terminal.print(sign(await readBytes(file, terminal), secret));
}
