import { randomBytes } from 'node:crypto';
import { defineCommand } from './command.ts';

/** Random bytes of a secret, as many as the signature has. */
const length = 32;

/** Returns a new secret: `whsec_` and 256 random bits in base64url (RFC 4648, section 5). */
export function newSecret(): string {
  return `whsec_${randomBytes(length).toString('base64url')}`;
}

export const secret = defineCommand({
  name: 'secret',
  summary: 'print a new secret',
  help: `Usage: webhook-verify secret

Prints a new secret of 256 random bits. Pass it as \`secret\` when you create or update a webhook, and
to the receiver as WEBHOOK_SECRET. All of it is the secret, with the prefix whsec_.

  -h, --help   print this help`,
  options: {},
  async run(_, terminal) {
    terminal.print(newSecret());
  },
});
