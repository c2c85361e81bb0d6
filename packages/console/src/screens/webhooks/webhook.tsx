import type { Delivery, DeliveryStatus, ListDeliveries, Webhook } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/column.ts';
import { Facts, Figures, Section, Time } from '../../components/facts.tsx';
import { Filter } from '../../components/filter.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { Page } from '../../components/page.tsx';
import { Badge, Empty, Failed, Loading, Note } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { common } from '../../messages/common.ts';
import { formatNumber, formatShare, formatTime } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { isEventType } from '../../service/event-types.ts';
import { useLoaded } from '../../service/loading.ts';
import { listQuery, useQuery } from '../../service/query.ts';
import { Duration, retry } from './attempt.tsx';
import { actionsOf, type Open, WebhookDialogs } from './dialogs.tsx';
import { HealthBadge, StatusBadge, statusLabel } from './health.tsx';
import { webhookTexts } from './messages.ts';

/** A webhook with its delivery log. */
export default function WebhookScreen() {
  const id = useRoute().params.webhookId ?? '';
  const loaded = useLoaded(`webhook ${id}`, () => send(client.webhooks.get(id)));
  const t = webhookTexts.value;
  const { data, error, reload } = loaded;
  const above = <a href={pathTo('webhooks')}>{t.title}</a>;
  if (data) return <Shown webhook={data} reload={reload} />;
  return (
    <Page title={t.title} above={above}>
      {error === undefined ? <Loading /> : <Failed error={error} onRetry={reload} />}
    </Page>
  );
}

function Shown({ webhook, reload }: { readonly webhook: Webhook; readonly reload: () => void }) {
  const t = webhookTexts.value;
  const { route } = useLocation();
  const [open, setOpen] = useState<Open>();
  const { stats } = webhook;
  return (
    <Page
      title={webhook.url}
      description={webhook.description}
      above={<a href={pathTo('webhooks')}>{t.title}</a>}
      actions={
        <>
          <Menu label={common.value.more} items={actionsOf(webhook, setOpen)}>
            <Icon name="ellipsis" />
          </Menu>
          <Button icon="send" kind="primary" onClick={() => setOpen({ kind: 'test', webhook })}>
            {t.test}
          </Button>
        </>
      }
    >
      <Figures
        facts={[
          { label: t.health, value: <HealthBadge webhook={webhook} /> },
          { label: t.total, value: formatNumber(stats.totalDeliveries) },
          { label: t.failed, value: formatNumber(stats.failedDeliveries) },
          { label: t.failureRate, value: formatShare(stats.failureRate) },
          { label: t.lastDelivery, value: <Time at={stats.lastDeliveryAt} isDistance /> },
        ]}
      />
      {stats.lastError && <Note kind="warning">{t.lastError(stats.lastError)}</Note>}
      {stats.lastDroppedAt && (
        <Note kind="error">
          {t.dropped(stats.droppedDeliveries, formatTime(stats.lastDroppedAt))}
        </Note>
      )}
      <Section
        title={t.log}
        description={t.logText}
        actions={
          <Button icon="rotate-ccw" onClick={() => setOpen({ kind: 'retryFailed', webhook })}>
            {t.retryFailed}
          </Button>
        }
      >
        <Log webhook={webhook} reloadWebhook={reload} />
      </Section>
      <Section title={t.configuration}>
        <div class="card padded">
          <Facts facts={configuration(webhook)} />
        </div>
      </Section>
      <WebhookDialogs
        open={open}
        onClose={() => setOpen(undefined)}
        onDelivery={(delivery) => route(pathOf(delivery))}
        onDeleted={() => route(pathTo('webhooks'))}
      />
    </Page>
  );
}

function configuration({ id, events, headers, createdAt, updatedAt }: Webhook) {
  const t = webhookTexts.value;
  return [
    {
      label: t.events,
      value: (
        <span class="list-inline">
          {events.map((type) => (
            <Badge key={type}>{type}</Badge>
          ))}
        </span>
      ),
    },
    {
      label: t.headers,
      value: headers ? (
        <span class="mono">{Object.keys(headers).join(', ')}</span>
      ) : (
        <span class="soft">{t.noHeaders}</span>
      ),
    },
    { label: 'ID', value: <span class="mono">{id}</span> },
    { label: common.value.createdAt, value: <Time at={createdAt} /> },
    ...(updatedAt === createdAt ? [] : [{ label: t.changed, value: <Time at={updatedAt} /> }]),
  ];
}

const statuses = [
  'pending',
  'retrying',
  'succeeded',
  'failed',
] as const satisfies readonly DeliveryStatus[];

export const pathOf = ({ webhookId, id }: Delivery) =>
  pathTo(`webhooks/${webhookId}/deliveries/${id}`);

function Log({ webhook, reloadWebhook }: { webhook: Webhook; reloadWebhook: () => void }) {
  const t = webhookTexts.value;
  const query = useQuery();
  const { id } = webhook;
  const { eventType } = query.values;
  const status = statuses.find((known) => known === query.values.status);
  const filters: ListDeliveries = {
    ...(listQuery(query.values) as ListDeliveries),
    ...(status && { status }),
    ...(isEventType(eventType) && { eventType }),
  };
  const deliveries = client.webhooks.deliveries;
  const loaded = useLoaded(`deliveries ${id}?${JSON.stringify(filters)}`, () =>
    send(deliveries.list(id, filters)),
  );
  const reload = () => {
    loaded.reload();
    reloadWebhook();
  };
  return (
    <Table
      label={t.log}
      columns={columns()}
      loaded={{ ...loaded, reload }}
      idOf={(delivery) => delivery.id}
      nameOf={(delivery) => `${delivery.eventType} ${delivery.id}`}
      query={query}
      defaultSort={{ by: 'createdAt', order: 'desc' }}
      actions={(delivery) => [
        { label: t.retry, icon: 'rotate-ccw', onSelect: () => void retry(delivery, reload) },
      ]}
      filterNames={['status', 'eventType']}
      filters={
        <>
          <Filter label={t.status} name="status" query={query} all={t.allStates}>
            {statuses.map((name) => (
              <option key={name} value={name}>
                {statusLabel(name)}
              </option>
            ))}
          </Filter>
          <Filter
            label={common.value.eventType}
            name="eventType"
            query={query}
            all={common.value.allTypes}
          >
            {webhook.events.map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </Filter>
        </>
      }
      exported={{ name: 'deliveries', list: () => deliveries.list(id, filters) }}
      empty={
        <Empty icon="send" title={t.noDeliveriesTitle}>
          {t.noDeliveries}
        </Empty>
      }
    />
  );
}

function columns(): Column<Delivery>[] {
  const t = webhookTexts.value;
  return [
    {
      id: 'eventType',
      label: t.event,
      cell: (delivery) => (
        <span class="row">
          <a href={pathOf(delivery)}>{delivery.eventType}</a>
          {delivery.test && <Badge kind="accent">{t.testBadge}</Badge>}
        </span>
      ),
      exported: ({ eventType }) => eventType,
    },
    {
      id: 'status',
      label: t.status,
      cell: ({ status }) => <StatusBadge status={status} />,
      exported: ({ status }) => status,
    },
    {
      id: 'statusCode',
      label: t.response,
      cell: ({ statusCode, error }) => (
        <span class={statusCode === null ? 'soft' : 'mono'}>{statusCode ?? error ?? '–'}</span>
      ),
      exported: ({ statusCode }) => statusCode,
    },
    {
      id: 'attemptNumber',
      label: t.attempts,
      isNumber: true,
      cell: ({ attemptNumber }) => formatNumber(attemptNumber),
      exported: ({ attemptNumber }) => attemptNumber,
    },
    {
      id: 'durationMs',
      label: t.duration,
      isNumber: true,
      cell: ({ durationMs }) => <Duration ms={durationMs} />,
      exported: ({ durationMs }) => durationMs,
    },
    {
      id: 'createdAt',
      label: t.createdAt,
      sort: { by: 'createdAt', first: 'desc' },
      cell: ({ createdAt }) => <Time at={createdAt} />,
      exported: ({ createdAt }) => createdAt,
    },
  ];
}
