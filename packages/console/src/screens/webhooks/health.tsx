import type { DeliveryStatus, Webhook } from '@document-vault/sdk';
import { Lines } from '../../components/facts.tsx';
import { Badge } from '../../components/states.tsx';
import { formatShare } from '../../messages/format.ts';
import { healthTexts, webhookTexts } from './messages.ts';

const healthKinds = {
  new: 'neutral',
  healthy: 'success',
  failing: 'error',
  paused: 'neutral',
} as const;

/** How a webhook does, in one word. */
export function HealthBadge({ webhook: { health } }: { readonly webhook: Webhook }) {
  return <Badge kind={healthKinds[health]}>{healthTexts.value[health]}</Badge>;
}

/** The state of a webhook, the share of deliveries that were given up, and the latest error. */
export function Health({ webhook }: { readonly webhook: Webhook }) {
  const t = webhookTexts.value;
  const { failedDeliveries, failureRate, lastError } = webhook.stats;
  return (
    <Lines below={lastError && t.latest(lastError)} title={lastError ? t.lastError(lastError) : ''}>
      <span class="row">
        <HealthBadge webhook={webhook} />
        {failedDeliveries > 0 && (
          <span class="soft number">{t.givenUp(formatShare(failureRate))}</span>
        )}
      </span>
    </Lines>
  );
}

const statusKinds = {
  pending: 'neutral',
  retrying: 'warning',
  succeeded: 'success',
  failed: 'error',
} as const;

export function statusLabel(status: DeliveryStatus): string {
  const t = webhookTexts.value;
  return status === 'failed' ? t.statusFailed : t[status];
}

export function StatusBadge({ status }: { readonly status: DeliveryStatus }) {
  return <Badge kind={statusKinds[status]}>{statusLabel(status)}</Badge>;
}
