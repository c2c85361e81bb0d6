import type { Delivery, ListDeliveries, Webhook } from '@document-vault/sdk';
import { useLocation, useRoute } from 'preact-iso';
import { Button } from '../../components/button.tsx';
import { type Column, numberColumn, timeColumn } from '../../components/column.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { Facts, Figures, Section } from '../../components/facts.tsx';
import { Icon } from '../../components/icon.tsx';
import { oneOf, useList } from '../../components/list.ts';
import { Menu } from '../../components/menu.tsx';
import { sameNames } from '../../components/options.tsx';
import { Page } from '../../components/page.tsx';
import { Await, Badge, Empty, Note } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { deliveryStatuses, eventTypes } from '../../generated/choices.ts';
import { common } from '../../messages/common.ts';
import { formatNumber, formatShare, formatTime } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { useLoaded } from '../../service/loading.ts';
import { Duration, pathOf, retryDelivery } from './attempt.tsx';
import { actionsOf, showRetryFailed, showTest } from './dialogs.tsx';
import { HealthBadge, StatusBadge, statusLabel } from './health.tsx';
import { webhookTexts } from './messages.ts';

/** A webhook with its delivery log. */
export default function WebhookScreen() {
  const id = useRoute().params.webhookId ?? '';
  const loaded = useLoaded(`webhook ${id}`, () => send(client.webhooks.get(id)));
  const t = webhookTexts.value;
  const { route } = useLocation();
  const { dialog, show } = useDialog();
  const { data, reload } = loaded;
  const reactions = {
    onDelivery: (delivery: Delivery) => route(pathOf(delivery)),
    onDeleted: () => route(pathTo('webhooks')),
  };
  return (
    <Page
      title={data?.url ?? t.title}
      description={data?.description}
      above={<a href={pathTo('webhooks')}>{t.title}</a>}
      actions={
        data && (
          <>
            <Menu label={common.value.more} items={actionsOf(data, show, reactions)}>
              <Icon name="ellipsis" />
            </Menu>
            <Button icon="send" kind="primary" onClick={() => showTest(data, show, reactions)}>
              {t.test}
            </Button>
          </>
        )
      }
    >
      <Await loaded={loaded}>
        {(webhook) => (
          <>
            <Statistics webhook={webhook} />
            <Section
              title={t.log}
              description={t.logText}
              actions={
                <Button icon="rotate-ccw" onClick={() => showRetryFailed(webhook, show)}>
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
            {dialog}
          </>
        )}
      </Await>
    </Page>
  );
}

function Statistics({ webhook }: { readonly webhook: Webhook }) {
  const t = webhookTexts.value;
  const { stats } = webhook;
  return (
    <>
      <Figures
        facts={[
          { label: t.health, value: <HealthBadge webhook={webhook} /> },
          { label: t.total, value: formatNumber(stats.totalDeliveries) },
          { label: t.failed, value: formatNumber(stats.failedDeliveries) },
          { label: t.failureRate, value: formatShare(stats.failureRate) },
          { label: t.lastDelivery, value: <Time at={stats.lastDeliveryAt} form="distance" /> },
        ]}
      />
      {stats.lastError && <Note kind="warning">{t.lastError(stats.lastError)}</Note>}
      {stats.lastDroppedAt && (
        <Note kind="error">
          {t.dropped(stats.droppedDeliveries, formatTime(stats.lastDroppedAt))}
        </Note>
      )}
    </>
  );
}

function configuration(webhook: Webhook) {
  const { id, events, headers, previousSecretExpiresAt, createdAt, updatedAt } = webhook;
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
    ...(previousSecretExpiresAt === null
      ? []
      : [
          {
            label: t.previousSecret,
            value: (
              <>
                {t.signsUntil} <Time at={previousSecretExpiresAt} />
              </>
            ),
          },
        ]),
    { label: 'ID', value: <span class="mono">{id}</span> },
    { label: common.value.createdAt, value: <Time at={createdAt} /> },
    ...(updatedAt === createdAt ? [] : [{ label: t.changed, value: <Time at={updatedAt} /> }]),
  ];
}

interface LogProps {
  readonly webhook: Webhook;
  readonly reloadWebhook: () => void;
}

function Log({ webhook: { id, events }, reloadWebhook }: LogProps) {
  const t = webhookTexts.value;
  const list = useList(
    'deliveries',
    (filters: ListDeliveries) => client.webhooks.deliveries.list(id, filters),
    {
      key: `deliveries ${id}`,
      filters: { status: oneOf(deliveryStatuses), eventType: oneOf(eventTypes) },
    },
  );
  const { loaded } = list;
  const reload = () => {
    loaded.reload();
    reloadWebhook();
  };
  return (
    <Table
      label={t.log}
      columns={columns()}
      list={{ ...list, loaded: { ...loaded, reload } }}
      nameOf={(delivery) => `${delivery.eventType} ${delivery.id}`}
      actions={(delivery) => [
        { label: t.retry, icon: 'rotate-ccw', onSelect: () => retryDelivery(delivery, reload) },
      ]}
      filters={[
        {
          name: 'status',
          label: t.status,
          options: [
            ['', common.value.allStates],
            ...deliveryStatuses.map((status) => [status, statusLabel(status)] as const),
          ],
        },
        {
          name: 'eventType',
          label: common.value.eventType,
          options: [['', common.value.allTypes], ...sameNames(events)],
        },
      ]}
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
    },
    { id: 'status', label: t.status, cell: ({ status }) => <StatusBadge status={status} /> },
    {
      id: 'statusCode',
      label: t.response,
      cell: ({ statusCode, error }) => (
        <span class={statusCode === null ? 'soft' : 'mono'}>{statusCode ?? error ?? '–'}</span>
      ),
    },
    numberColumn('attemptNumber', t.attempts, {}),
    {
      id: 'durationMs',
      label: t.duration,
      isNumber: true,
      cell: ({ durationMs }) => <Duration ms={durationMs} />,
    },
    timeColumn('createdAt', common.value.time, { form: 'time', sort: 'desc' }),
  ];
}
