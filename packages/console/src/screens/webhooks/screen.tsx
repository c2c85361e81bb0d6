import type { ListWebhooks, Webhook } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/column.ts';
import { Time } from '../../components/facts.tsx';
import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { formatNumber } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { useLoaded } from '../../service/loading.ts';
import { listQuery, useQuery } from '../../service/query.ts';
import { useShortcut } from '../../shell/shortcuts.tsx';
import { actionsOf, type Open, WebhookDialogs } from './dialogs.tsx';
import { Health } from './health.tsx';
import { webhookTexts } from './messages.ts';

/** The list of webhooks, with their health at a glance. */
export default function Webhooks() {
  const t = webhookTexts.value;
  const query = useQuery();
  const { route } = useLocation();
  const [open, setOpen] = useState<Open>();
  const create = () => setOpen({ kind: 'create' });
  const filters = listQuery(query.values) as ListWebhooks;
  const loaded = useLoaded(`webhooks?${JSON.stringify(filters)}`, () =>
    send(client.webhooks.list(filters)),
  );
  useShortcut('n', t.create, create);
  const createButton = (
    <Button kind="primary" icon="plus" onClick={create}>
      {t.create}
    </Button>
  );
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        <>
          <a class="button secondary" href={pathTo('webhooks/signature')}>
            {t.checker}
          </a>
          {createButton}
        </>
      }
    >
      <Table
        label={t.title}
        columns={columns()}
        loaded={loaded}
        idOf={({ id }) => id}
        nameOf={({ url }) => url}
        query={query}
        defaultSort={{ by: 'createdAt', order: 'desc' }}
        actions={(webhook) => actionsOf(webhook, setOpen)}
        exported={{ name: 'webhooks', list: () => client.webhooks.list(filters) }}
        empty={
          <Empty icon="webhook" title={t.emptyTitle} action={createButton}>
            {t.empty}
          </Empty>
        }
      />
      <WebhookDialogs
        open={open}
        onClose={() => setOpen(undefined)}
        onDelivery={({ webhookId, id }) => route(pathTo(`webhooks/${webhookId}/deliveries/${id}`))}
      />
    </Page>
  );
}

function columns(): Column<Webhook>[] {
  const t = webhookTexts.value;
  return [
    {
      id: 'url',
      label: t.url,
      cell: ({ id, url, description }) => (
        <span class="cell-lines">
          <a href={pathTo(`webhooks/${id}`)}>{url}</a>
          {description && <span class="soft truncate">{description}</span>}
        </span>
      ),
      exported: ({ url }) => url,
    },
    {
      id: 'health',
      label: t.health,
      cell: (webhook) => <Health webhook={webhook} />,
      exported: ({ health }) => health,
    },
    {
      id: 'events',
      label: t.events,
      cell: ({ events }) => <span title={events.join(', ')}>{t.eventCount(events.length)}</span>,
      exported: ({ events }) => events.join(' '),
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
      cell: ({ stats }) => <Time at={stats.lastDeliveryAt} isDistance />,
      exported: ({ stats }) => stats.lastDeliveryAt,
    },
  ];
}
