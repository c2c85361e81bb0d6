import type { Delivery } from '@document-vault/sdk';
import { formatNumber } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { report } from '../../shell/toasts.tsx';
import { webhookTexts } from './messages.ts';

/** Returns the path of a delivery's screen. */
export function pathOf({ webhookId, id }: Delivery): string {
  return pathTo(`webhooks/${webhookId}/deliveries/${id}`);
}

/** Starts a new attempt of a delivery. */
export function retryDelivery({ webhookId, id }: Delivery, onDone: () => void): void {
  void report(async () => {
    await send(client.webhooks.deliveries.retry(webhookId, id));
    onDone();
    return webhookTexts.value.retried;
  });
}

/** How long the receiver took; a dash for an attempt without a response. */
export function Duration({ ms }: { readonly ms: number | null }) {
  if (ms === null) return <span class="soft">–</span>;
  return <>{formatNumber(Math.round(ms))} ms</>;
}
