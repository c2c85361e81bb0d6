import type { DeliveryStatus, Webhook } from '@document-vault/sdk';
import { Badge } from '../../components/states.tsx';
import { formatShare } from '../../messages/format.ts';
import { webhookTexts } from './messages.ts';

/** The failure rate from which on a webhook is no longer healthy, and from which on it is failing. */
const [someFail, failing] = [0.01, 0.2];

/** How a webhook does, in one word. */
export function HealthBadge({ webhook: { active, stats } }: { readonly webhook: Webhook }) {
  const t = webhookTexts.value;
  if (!active) return <Badge>{t.isPaused}</Badge>;
  if (stats.totalDeliveries === 0) return <Badge>{t.unused}</Badge>;
  if (stats.failureRate >= failing) return <Badge kind="error">{t.failing}</Badge>;
  if (stats.failureRate >= someFail) return <Badge kind="warning">{t.someFail}</Badge>;
  return <Badge kind="success">{t.healthy}</Badge>;
}

/** The state of a webhook, the share of deliveries that were given up, and the latest error. */
export function Health({ webhook }: { readonly webhook: Webhook }) {
  const t = webhookTexts.value;
  const { totalDeliveries, failureRate, lastError } = webhook.stats;
  return (
    <span class="cell-lines">
      <span class="row">
        <HealthBadge webhook={webhook} />
        {totalDeliveries > 0 && (
          <span class="soft number">{t.givenUp(formatShare(failureRate))}</span>
        )}
      </span>
      {lastError && (
        <span class="soft truncate" title={t.lastError(lastError)}>
          {t.latest(lastError)}
        </span>
      )}
    </span>
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
