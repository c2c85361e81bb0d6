import { newWebhookSecret } from '../testing.ts';
import { defineCommand } from './command.ts';

export const secret = defineCommand({
  name: 'secret',
  summary: 'print a new secret',
  help: `Usage: webhook-verify secret

Prints a new secret of 240 random bits. Pass it as \`secret\` when you create or update a webhook, and
to the receiver as WEBHOOK_SECRET. All of it is the secret, with the prefix whsec_.

  -h, --help   print this help`,
  options: {},
  async run(_, terminal) {
    terminal.print(newWebhookSecret());
  },
});
