import { randomUUID } from 'node:crypto';
import { signatureHeader } from './signature.ts';
import { version } from './version.ts';

/** What the headers say of an event. */
export interface EventFacts {
  readonly id: string;
  readonly type: string;
}

/** The headers that the service sends with an event, under a delivery id of their own. */
export function deliveryHeaders({ id, type }: EventFacts, signature: string) {
  return {
    'Content-Type': 'application/json',
    [signatureHeader]: signature,
    'X-Service-Event-Id': id,
    'X-Service-Event-Type': type,
    'X-Service-Delivery-Id': `dlv_${randomUUID().replaceAll('-', '')}`,
    'Accept-Encoding': 'identity',
    'User-Agent': `document-vault-webhooks/${version}`,
  };
}
