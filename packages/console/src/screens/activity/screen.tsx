import type { ListEvents, WebhookEvent } from '@document-vault/sdk';
import { CodeBlock } from '../../components/code-block.tsx';
import type { Column } from '../../components/column.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Facts, Time } from '../../components/facts.tsx';
import { Filter } from '../../components/filter.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, Failed, Loading } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { eventTypes, isEventType } from '../../service/event-types.ts';
import { useLoaded } from '../../service/loading.ts';
import { listQuery, type Query, useQuery } from '../../service/query.ts';
import { activityTexts } from './messages.ts';

/** The events of the account. The open one is in the address too. */
export default function Activity() {
  const t = activityTexts.value;
  const query = useQuery();
  const filters = filtersOf(query.values);
  const loaded = useLoaded(`events?${JSON.stringify(filters)}`, () =>
    send(client.events.list(filters)),
  );
  const { event: openId, page } = query.values;
  return (
    <Page title={t.title} description={t.description}>
      <Table
        label={t.title}
        columns={columns((id) => query.change({ event: id, page }))}
        loaded={loaded}
        idOf={({ id }) => id}
        nameOf={({ type, id }) => `${type} ${id}`}
        query={query}
        filterNames={['type', 'since', 'until']}
        filters={
          <>
            <Filter
              label={common.value.eventType}
              name="type"
              query={query}
              all={common.value.allTypes}
            >
              {eventTypes.map((type) => (
                <option key={type} value={type}>
                  {type}
                </option>
              ))}
            </Filter>
            <DayFilter label={t.since} name="since" query={query} />
            <DayFilter label={t.until} name="until" query={query} />
          </>
        }
        exported={{ name: 'events', list: () => client.events.list(filters) }}
        empty={
          <Empty icon="activity" title={t.emptyTitle}>
            {t.empty}
          </Empty>
        }
      />
      {openId && (
        <EventDialog
          id={openId}
          listed={loaded.data?.data.find(({ id }) => id === openId)}
          onClose={() => query.change({ event: undefined, page })}
        />
      )}
    </Page>
  );
}

function DayFilter({
  label,
  name,
  query,
}: {
  readonly label: string;
  readonly name: string;
  readonly query: Query;
}) {
  return (
    <label class="row tight">
      <span class="soft">{label}</span>
      <input
        class="input day"
        type="date"
        value={query.values[name] ?? ''}
        onChange={({ currentTarget: { value } }) => query.change({ [name]: value })}
      />
    </label>
  );
}

function filtersOf(values: Query['values']): ListEvents {
  const { type, since, until } = values;
  const { page, pageSize } = listQuery(values);
  const [from, to] = [startOf(since, 0), startOf(until, 1)];
  return {
    ...(page && { page }),
    ...(pageSize && { pageSize }),
    ...(isEventType(type) && { type }),
    ...(from && { since: from.toISOString() }),
    // The last millisecond of the day.
    ...(to && { until: new Date(to.getTime() - 1).toISOString() }),
  };
}

/** Returns the start of a day in the user's time zone, some days later; undefined for another text. */
function startOf(day: string | undefined, daysLater: number): Date | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '');
  if (!match) return undefined;
  return new Date(Number(match[1]), Number(match[2]) - 1, Number(match[3]) + daysLater);
}

/** Shows an event. One that the page of the list does not have is loaded. */
function EventDialog({
  id,
  listed,
  onClose,
}: {
  readonly id: string;
  readonly listed: WebhookEvent | undefined;
  readonly onClose: () => void;
}) {
  const t = activityTexts.value;
  const loaded = useLoaded(listed ? undefined : `event ${id}`, () => send(client.events.get(id)));
  const event = listed ?? loaded.data;
  return (
    <Dialog title={event?.type ?? t.details} size="large" onClose={onClose}>
      {event ? (
        <div class="stack">
          <Facts
            facts={[
              { label: t.time, value: <Time at={event.timestamp} /> },
              { label: t.by, value: event.context.ipAddress ?? t.service },
              { label: t.id, value: <span class="mono">{event.id}</span> },
              {
                label: t.request,
                value: <span class="mono">{event.context.requestId ?? '–'}</span>,
              },
            ]}
          />
          <CodeBlock label="JSON" code={JSON.stringify(event, null, 2)} isJson />
        </div>
      ) : loaded.error === undefined ? (
        <Loading />
      ) : (
        <Failed error={loaded.error} onRetry={loaded.reload} />
      )}
    </Dialog>
  );
}

/** Properties that name the object of an event, the best first. A file name can be encrypted. */
const nameProperties = ['name', 'purpose', 'email', 'vaultName', 'documentId', 'id'];

function subjectOf({ data }: WebhookEvent): string {
  const object = data.object as unknown as Readonly<Record<string, unknown>>;
  const name = nameProperties.map((property) => object[property]).find(Boolean);
  return typeof name === 'string' ? name : '–';
}

function columns(open: (id: string) => void): Column<WebhookEvent>[] {
  const t = activityTexts.value;
  return [
    {
      id: 'type',
      label: t.event,
      cell: ({ id, type }) => (
        <button type="button" class="link plain" aria-haspopup="dialog" onClick={() => open(id)}>
          {type}
        </button>
      ),
      exported: ({ type }) => type,
    },
    {
      id: 'subject',
      label: t.about,
      cell: (event) => <span class="clamp">{subjectOf(event)}</span>,
      exported: subjectOf,
    },
    {
      id: 'ipAddress',
      label: t.by,
      cell: ({ context }) =>
        context.ipAddress ? (
          <span class="mono">{context.ipAddress}</span>
        ) : (
          <span class="soft">{t.service}</span>
        ),
      exported: ({ context }) => context.ipAddress ?? null,
    },
    {
      id: 'timestamp',
      label: t.time,
      cell: ({ timestamp }) => <Time at={timestamp} />,
      exported: ({ timestamp }) => timestamp,
    },
  ];
}
