import { readFileSync } from 'node:fs';
import type { ReceivedEvent, UnknownEvent, VaultDeletedEvent } from '../../src/index.ts';

/** A `vault.deleted` event with the current time, the smallest event. */
export const vaultDeleted: VaultDeletedEvent = {
  id: 'evt_09ffa313136df8382572faa8da69e237',
  type: 'vault.deleted',
  timestamp: new Date().toISOString(),
  apiVersion: 'v1',
  data: { object: { id: '019cadd6-a210-7670-891a-985ccc8c71a2', documentCount: 17 } },
  context: {
    userId: '019cadd4-5698-781e-b05b-ef3e60cf1f3b',
    instanceId: '019b8d2b-8c00-7db1-baa7-76cb5c5c64ab',
    requestId: 'req_01620f795dd6071537911daf83b52345',
  },
};

/** An event of a type that this version does not know. */
export function unknownEvent(type: string): UnknownEvent {
  return { ...vaultDeleted, type: type as UnknownEvent['type'], data: { object: {} } };
}

interface ContractWebhook {
  readonly post: {
    readonly requestBody: {
      readonly content: { readonly 'application/json': { readonly example: ReceivedEvent } };
    };
  };
}

/** The example of every event in the contract, by type. */
export function contractExamples(): [type: string, example: ReceivedEvent][] {
  const contract = JSON.parse(
    readFileSync(new URL('../../../../openapi/v1.json', import.meta.url), 'utf8'),
  ) as { webhooks: Record<string, ContractWebhook> };
  return Object.entries(contract.webhooks).map(([type, { post }]) => [
    type,
    post.requestBody.content['application/json'].example,
  ]);
}
