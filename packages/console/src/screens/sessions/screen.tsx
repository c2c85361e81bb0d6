import type { ListSessions, Session } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/column.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Time } from '../../components/facts.tsx';
import { Page } from '../../components/page.tsx';
import { Badge } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { client, send } from '../../service/client.ts';
import { outdate, useLoaded } from '../../service/loading.ts';
import { listQuery, useQuery } from '../../service/query.ts';
import { announce } from '../../shell/toasts.tsx';
import { sessionsTexts } from './messages.ts';

/** Where the user is signed in. */
export default function Sessions() {
  const t = sessionsTexts.value;
  const query = useQuery();
  const [ended, setEnded] = useState<Session | 'others'>();
  const filters = listQuery(query.values) as ListSessions;
  const { sessions } = client.auth;
  const loaded = useLoaded(`sessions?${JSON.stringify(filters)}`, () =>
    send(sessions.list(filters)),
  );
  const close = () => setEnded(undefined);
  const hasOthers = (loaded.data?.pagination.totalCount ?? 0) > 1;
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={
        hasOthers && (
          <Button icon="log-out" onClick={() => setEnded('others')}>
            {t.endOthers}
          </Button>
        )
      }
    >
      <Table
        label={t.title}
        columns={columns()}
        loaded={loaded}
        idOf={({ id }) => id}
        nameOf={deviceOf}
        query={query}
        defaultSort={{ by: 'createdAt', order: 'desc' }}
        actions={(session) =>
          session.current
            ? []
            : [
                {
                  label: t.end,
                  icon: 'log-out',
                  isDangerous: true,
                  onSelect: () => setEnded(session),
                },
              ]
        }
        exported={{ name: 'sessions', list: () => sessions.list(filters) }}
        empty={null}
      />
      {ended === 'others' && (
        <Confirm
          title={t.endOthersTitle}
          action={t.endOthers}
          onClose={close}
          onConfirm={async () => {
            await send(sessions.deleteOthers());
            outdate('sessions?');
            announce(t.endedOthers);
          }}
        >
          <p>{t.endOthersText}</p>
        </Confirm>
      )}
      {ended && ended !== 'others' && (
        <Confirm
          title={t.endTitle}
          action={t.end}
          onClose={close}
          onConfirm={async () => {
            await send(sessions.delete(ended.id));
            outdate('sessions?');
            announce(t.ended);
          }}
        >
          <p>
            <strong>{deviceOf(ended)}</strong>, {ended.ipAddress}
          </p>
          <p>{t.endText}</p>
        </Confirm>
      )}
    </Page>
  );
}

/** The first that the text contains: Edge and Opera name Chrome, and Chrome names Safari. */
const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const;

const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Names a device by its `User-Agent`, which the device chooses itself. */
function deviceOf({ userAgent }: Session): string {
  const t = sessionsTexts.value;
  const browser = browsers.find(([part]) => userAgent?.includes(part))?.[1];
  const system = systems.find(([part]) => userAgent?.includes(part))?.[1];
  if (browser && system) return t.on(browser, system);
  return browser ?? system ?? userAgent ?? t.unknown;
}

function columns(): Column<Session>[] {
  const t = sessionsTexts.value;
  return [
    {
      id: 'userAgent',
      label: t.device,
      cell: (session) => (
        <span class="row" title={session.userAgent ?? ''}>
          <strong>{deviceOf(session)}</strong>
          {session.current && <Badge kind="success">{t.current}</Badge>}
        </span>
      ),
      exported: ({ userAgent }) => userAgent,
    },
    {
      id: 'ipAddress',
      label: t.address,
      cell: ({ ipAddress }) => <span class="mono">{ipAddress}</span>,
      exported: ({ ipAddress }) => ipAddress,
    },
    {
      id: 'lastUsedAt',
      label: t.lastUsed,
      cell: ({ lastUsedAt }) => <Time at={lastUsedAt} isDistance />,
      exported: ({ lastUsedAt }) => lastUsedAt,
    },
    {
      id: 'createdAt',
      label: t.signedIn,
      sort: { by: 'createdAt', first: 'desc' },
      cell: ({ createdAt }) => <Time at={createdAt} />,
      exported: ({ createdAt }) => createdAt,
    },
    {
      id: 'expiresAt',
      label: t.expires,
      cell: ({ expiresAt }) => <Time at={expiresAt} isDistance />,
      exported: ({ expiresAt }) => expiresAt,
    },
  ];
}
