import type { Webhooks } from '../../domain/webhooks/webhooks.ts';
import type { Handlers } from '../handlers.ts';

export function webhookOperations(webhooks: Webhooks) {
  return {
    listWebhooks: ({ actor, query }) => webhooks.list(actor, query),
    createWebhook: ({ actor, body }) => webhooks.create(actor, body),
    getWebhook: ({ actor, path }) => webhooks.get(actor, path.id),
    updateWebhook: ({ actor, path, body }) => webhooks.update(actor, path.id, body),
    deleteWebhook: ({ actor, path }) => webhooks.remove(actor, path.id),
  } satisfies Partial<Handlers>;
}
