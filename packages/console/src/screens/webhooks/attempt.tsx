import type { Delivery } from '@document-vault/sdk';
import { formatNumber } from '../../messages/format.ts';
import { client, send } from '../../service/client.ts';
import { announce, announceError } from '../../shell/toasts.tsx';
import { webhookTexts } from './messages.ts';

/** Starts a new attempt of a delivery. */
export async function retry({ webhookId, id }: Delivery, onDone: () => void): Promise<void> {
  try {
    await send(client.webhooks.deliveries.retry(webhookId, id));
    announce(webhookTexts.value.retried);
    onDone();
  } catch (error) {
    announceError(error);
  }
}

/** How long the receiver took; a dash for an attempt without a response. */
export function Duration({ ms }: { readonly ms: number | null }) {
  if (ms === null) return <span class="soft">–</span>;
  return <>{formatNumber(Math.round(ms))} ms</>;
}
