import { WebhookVerificationError } from '../errors.ts';
import { createVerifier } from '../index.node.ts';
import type { VerifiedBody } from '../verifier.ts';
import { onlyArgument, parseArguments } from './arguments.ts';
import { UsageError } from './failures.ts';
import { readBytes } from './input.ts';
import { printable } from './printable.ts';
import { secretOption, secretsOf } from './secrets.ts';
import type { Terminal } from './terminal.ts';

const help = `\
Usage: webhook-verify verify [FILE|-] --signature VALUE [--secret SECRET]...

Verifies exactly the bytes of FILE, or of standard input, and says which secret matched and what the
event is.

  --signature VALUE   the value of the X-Service-Signature header
  --secret SECRET     a secret of the webhook, once or several times; default: WEBHOOK_SECRET of the
                      environment`;

export async function runVerify(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArguments(args, {
    ...secretOption,
    signature: { type: 'string' },
  });
  if (values.help) return terminal.print(help);
  const file = onlyArgument(positionals, 'FILE');
  const { signature } = values;
  if (signature === undefined) throw new UsageError('No signature: give --signature.');
  const secrets = secretsOf(values.secret, terminal);

  // A recorded delivery may be of any age.
  const verifier = createVerifier({ secrets: secrets.values, maxAge: Infinity });
  const verify = (bytes: Uint8Array) => verifier.verifySignatureSync(bytes, signature);
  const body = verifyBytes(await readBytes(file, terminal), verify, terminal);
  terminal.print(`The signature is right, made with ${secrets.nameOf(body.secretIndex)}.`);
  const { type, id } = body.event();
  terminal.print(printable(`${type} ${id}`));
}

const lineFeed = 0x0a;

/** Verifies a body, and where it fails looks for the newline that editors and `echo` leave behind. */
function verifyBytes(
  bytes: Uint8Array,
  verify: (bytes: Uint8Array) => VerifiedBody,
  terminal: Terminal,
): VerifiedBody {
  try {
    return verify(bytes);
  } catch (error) {
    if (bytes.at(-1) === lineFeed && isRight(() => verify(bytes.subarray(0, -1)))) {
      terminal.complain('The signature is right for the body without the newline at its end.');
    }
    throw error;
  }
}

function isRight(verify: () => VerifiedBody): boolean {
  try {
    verify();
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}
