import contract from '../../generated/contract.json' with { type: 'json' };
import type { EventOf, EventType } from '../shapes.ts';

interface EventOperation {
  readonly post: {
    readonly requestBody: {
      readonly content: { readonly 'application/json': { readonly example: EventOf<EventType> } };
    };
  };
}

const operations = contract.webhooks as unknown as Readonly<Record<EventType, EventOperation>>;

/** The data of an event of this type as the contract shows it, for test deliveries. */
export function exampleData(type: EventType): EventOf<EventType>['data'] {
  return operations[type].post.requestBody.content['application/json'].example.data;
}
