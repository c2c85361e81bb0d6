import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webhookFixtures } from '../../../scripts/generate-fixtures.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-fixtures-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function generate(contents: Record<string, object>): Promise<string> {
  const file = join(folder, 'contract.json');
  const webhooks = Object.entries(contents).map(([type, content]) => [
    type,
    { post: { requestBody: { content: { 'application/json': content } } } },
  ]);
  await writeFile(file, JSON.stringify({ webhooks: Object.fromEntries(webhooks) }));
  return webhookFixtures(pathToFileURL(file));
}

describe('webhookFixtures()', () => {
  test('prints the example of every webhook of the contract', async () => {
    const contents = { 'box.made': { example: { id: 'a' } }, 'box.lost': { example: { id: 'b' } } };
    expect(await generate(contents)).toBe(`\
// Generated from openapi/ by \`npm run generate\`. Do not edit.

import type { WebhookEventMap } from './events.ts';

/** The example of every event in the contract. */
export const fixtures: WebhookEventMap = {
  "box.made": {
    "id": "a"
  },
  "box.lost": {
    "id": "b"
  }
};
`);
  });

  test('throws for a webhook without an example', async () => {
    await expect(generate({ 'box.made': {} })).rejects.toThrow('box.made has no example');
  });
});
