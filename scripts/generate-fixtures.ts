/**
 * Prints an event of every type, for tests of receivers: the example that the contract gives for each
 * webhook. The compiler holds them against the event types.
 */
import { readFile } from 'node:fs/promises';
import { header } from './typescript-printer.ts';

interface Contract {
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>;
}

interface WebhookOperation {
  readonly requestBody: {
    readonly content: { readonly 'application/json': { readonly example?: unknown } };
  };
}

/**
 * The text of the verifier's `generated/fixtures.ts`: the examples by event type.
 *
 * @throws Error when a webhook of the contract has no example
 */
export async function webhookFixtures(contractUrl: URL): Promise<string> {
  const { webhooks } = JSON.parse(await readFile(contractUrl, 'utf8')) as Contract;
  const events = Object.entries(webhooks).map(([type, { post }]) => {
    const { example } = post.requestBody.content['application/json'];
    if (example === undefined) throw new Error(`${type} has no example`);
    return [type, example];
  });
  return [
    header,
    "import type { WebhookEventMap } from './events.ts';\n",
    '/** The example of every event in the contract. */',
    `export const fixtures: WebhookEventMap = ${JSON.stringify(Object.fromEntries(events), null, 2)};\n`,
  ].join('\n');
}
