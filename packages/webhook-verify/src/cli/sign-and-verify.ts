import { sign } from '../delivery.ts';
import { WebhookVerificationError } from '../errors.ts';
import { createVerifier, type Verified } from '../verifier.ts';
import { defineCommand } from './command.ts';
import {
  printable,
  readBytes,
  secretsOf,
  signingSecret,
  type Terminal,
  UsageError,
} from './terminal.ts';

export const signCommand = defineCommand({
  name: 'sign',
  summary: 'print the signature of a body',
  help: `Usage: webhook-verify sign [FILE|-] [--secret SECRET]

Prints the value of the X-Service-Signature header for the exact bytes of FILE, or of standard
input.

  --secret SECRET   the secret of the webhook; default: WEBHOOK_SECRET
  -h, --help        print this help`,
  argument: 'FILE',
  options: {
    secret: { type: 'string', multiple: true },
  },
  async run({ values, argument }, terminal) {
    const secret = signingSecret(values.secret, terminal);
    terminal.print(await sign(await readBytes(argument, terminal), secret));
  },
});

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: 'verify a body against its signature',
  help: `Usage: webhook-verify verify [FILE|-] --signature VALUE [--secret SECRET]

Verifies the exact bytes of FILE, or of standard input. Prints which secret matched, and the type
and id of the event. Accepts events of any age.

  --signature VALUE   the value of the X-Service-Signature header
  --secret SECRET     a secret of the webhook; may be repeated; default: WEBHOOK_SECRET
  -h, --help          print this help`,
  argument: 'FILE',
  options: {
    signature: { type: 'string' },
    secret: { type: 'string', multiple: true },
  },
  async run({ values: { signature, secret }, argument }, terminal) {
    if (signature === undefined) throw new UsageError('Pass the signature with --signature.');
    const secrets = secretsOf(secret, terminal);

    const verifier = createVerifier({ secrets: secrets.values, maxAge: Infinity });
    const verifyBytes = (bytes: Uint8Array) => verifier.verifyDetailed(bytes, signature);
    const bytes = await readBytes(argument, terminal);
    const { event, secretIndex } = await verifyOrExplain(bytes, verifyBytes, terminal);
    terminal.print(`The signature is right. It was made with ${secrets.nameOf(secretIndex)}.`);
    const { type, id, test } = event;
    terminal.print(printable(`${type} ${id}${test ? ', a test event' : ''}`));
  },
});

const lineFeed = 0x0a;

/** Verifies a body. On failure, reports a trailing newline, as editors and `echo` add it. */
async function verifyOrExplain(
  bytes: Uint8Array,
  verifyBytes: (bytes: Uint8Array) => Promise<Verified>,
  terminal: Terminal,
): Promise<Verified> {
  try {
    return await verifyBytes(bytes);
  } catch (error) {
    if (bytes.at(-1) === lineFeed && (await isRight(verifyBytes(bytes.subarray(0, -1))))) {
      terminal.printError('Without the newline at its end, the body matches the signature.');
    }
    throw error;
  }
}

async function isRight(verified: Promise<Verified>): Promise<boolean> {
  try {
    await verified;
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code !== 'signature_mismatch';
    throw error;
  }
}
