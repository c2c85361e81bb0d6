import type { ListEvents, WebhookEvent } from '@document-vault/sdk';
import { CodeBlock } from '../../components/code-block.tsx';
import { type Column, timeColumn } from '../../components/column.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { oneOf, useList } from '../../components/list.ts';
import { ListScreen } from '../../components/list-screen.tsx';
import { sameNames } from '../../components/options.tsx';
import { Await } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { eventTypes } from '../../generated/choices.ts';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { useLoaded } from '../../service/loading.ts';
import { activityTexts } from './messages.ts';

/** The events of the account. The open one is in the address too. */
export default function Activity() {
  const t = activityTexts.value;
  const list = useList('events', (filters: ListEvents) => client.events.list(filters), {
    filters: {
      type: oneOf(eventTypes),
      since: (day) => startOf(day, 0)?.toISOString(),
      until: endOf,
    },
  });
  const { query, loaded } = list;
  const { event: openId, page } = query.values;
  return (
    <ListScreen
      texts={t}
      icon="activity"
      list={list}
      columns={columns((id) => query.change({ event: id, page }))}
      nameOf={({ type, id }) => `${type} ${id}`}
      filters={[
        {
          name: 'type',
          label: common.value.eventType,
          options: [['', common.value.allTypes], ...sameNames(eventTypes)],
        },
        { name: 'since', label: t.since, options: 'day' },
        { name: 'until', label: t.until, options: 'day' },
      ]}
    >
      {openId && (
        <EventDialog
          id={openId}
          listed={loaded.data?.data.find(({ id }) => id === openId)}
          onClose={() => query.change({ event: undefined, page })}
        />
      )}
    </ListScreen>
  );
}

/** Returns the start of a day in the user's time zone, some days later; undefined for another text. */
function startOf(day: string, daysLater: number): Date | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day);
  if (!match) return undefined;
  return new Date(Number(match[1]), Number(match[2]) - 1, Number(match[3]) + daysLater);
}

/** Returns the last millisecond of a day. */
function endOf(day: string): string | undefined {
  const next = startOf(day, 1);
  return next && new Date(next.getTime() - 1).toISOString();
}

interface EventDialogProps {
  readonly id: string;
  readonly listed: WebhookEvent | undefined;
  readonly onClose: () => void;
}

/** Shows an event. One that the page of the list does not have is loaded. */
function EventDialog({ id, listed, onClose }: EventDialogProps) {
  const t = activityTexts.value;
  const loaded = useLoaded(listed ? undefined : `event ${id}`, () => send(client.events.get(id)));
  const data = listed ?? loaded.data;
  return (
    <Dialog title={data?.type ?? t.event} size="large" onClose={onClose}>
      <Await loaded={{ ...loaded, data }}>
        {(event) => (
          <div class="stack">
            <Facts
              facts={[
                { label: common.value.time, value: <Time at={event.timestamp} /> },
                { label: t.by, value: event.context.ipAddress ?? t.service },
                { label: common.value.eventId, value: <span class="mono">{event.id}</span> },
                {
                  label: t.request,
                  value: <span class="mono">{event.context.requestId ?? '–'}</span>,
                },
              ]}
            />
            <CodeBlock label="JSON" code={JSON.stringify(event, null, 2)} isJson />
          </div>
        )}
      </Await>
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
    timeColumn('timestamp', common.value.time, { form: 'time' }),
  ];
}
