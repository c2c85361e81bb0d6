import { createSigningKeys } from '../domain/accounts/access-tokens.ts';
import { command, common } from './command.ts';
import { changeDatabase } from './command-context.ts';

export const keysCommands = [
  command({
    name: 'keys rotate',
    summary: 'publish a new key, which signs access tokens after 5 minutes',
    options: {
      now: { help: 'sign with the new key at once: for a key that others may have' },
      ...common,
    },
    notes: `Programs that verify access tokens may cache the published keys for 5 minutes. Without --now, the new key
signs after that time. With --now, such programs can reject new tokens until they load the keys again.
Tokens of the old key stay valid until they expire, at most 65 minutes after the new key starts to sign.`,
    examples: ['document-vault keys rotate', 'document-vault keys rotate --now'],
    async run({ now, ...given }, context) {
      const { kid, signsFrom } = await changeDatabase(context, given, async ({ store }) =>
        (await createSigningKeys(store, context.clock)).rotate({ now }),
      );
      const from = new Date(signsFrom).toISOString();
      return {
        result: { kid, signsFrom: from },
        lines: [
          now
            ? `The key ${kid} signs access tokens from now on.`
            : `The key ${kid} is published now and signs access tokens from ${from}.`,
          'Earlier access tokens stay valid until they expire.',
        ],
      };
    },
  }),
];
