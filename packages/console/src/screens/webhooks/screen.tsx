import type { Webhook } from '@document-vault/sdk';
import { useLocation } from 'preact-iso';
import type { Column } from '../../components/column.tsx';
import { Lines } from '../../components/facts.tsx';
import { useList } from '../../components/list.ts';
import { ListScreen } from '../../components/list-screen.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client } from '../../service/client.ts';
import { pathOf } from './attempt.tsx';
import { actionsOf } from './dialogs.tsx';
import { WebhookForm } from './form.tsx';
import { Health } from './health.tsx';
import { webhookTexts } from './messages.ts';

/** The list of webhooks, with their health at a glance. */
export default function Webhooks() {
  const t = webhookTexts.value;
  const { route } = useLocation();
  return (
    <ListScreen
      texts={t}
      icon="webhook"
      list={useList('webhooks', client.webhooks.list)}
      columns={columns()}
      create={() => <WebhookForm />}
      buttons={() => (
        <a class="button secondary" href={pathTo('webhooks/signature')}>
          {t.checker}
        </a>
      )}
      actions={(webhook, show) =>
        actionsOf(webhook, show, { onDelivery: (delivery) => route(pathOf(delivery)) })
      }
    />
  );
}

function columns(): Column<Webhook>[] {
  const t = webhookTexts.value;
  return [
    {
      id: 'url',
      label: t.url,
      cell: ({ id, url, description }) => (
        <Lines below={description}>
          <a href={pathTo(`webhooks/${id}`)}>{url}</a>
        </Lines>
      ),
    },
    { id: 'health', label: t.health, cell: (webhook) => <Health webhook={webhook} /> },
    {
      id: 'events',
      label: t.events,
      cell: ({ events }) => <span title={events.join(', ')}>{t.eventCount(events.length)}</span>,
    },
    {
      id: 'totalDeliveries',
      label: t.total,
      isNumber: true,
      cell: ({ stats }) => formatNumber(stats.totalDeliveries),
      exported: ({ stats }) => stats.totalDeliveries,
    },
    {
      id: 'lastDeliveryAt',
      label: t.lastDelivery,
      cell: ({ stats }) => <Time at={stats.lastDeliveryAt} form="distance" />,
      exported: ({ stats }) => stats.lastDeliveryAt,
    },
  ];
}
