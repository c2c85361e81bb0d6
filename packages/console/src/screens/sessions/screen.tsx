import type { Session } from '@document-vault/sdk';
import { Button } from '../../components/button.tsx';
import { type Column, timeColumn } from '../../components/column.tsx';
import { Confirm, type Show } from '../../components/dialog.tsx';
import { useList } from '../../components/list.ts';
import { ListScreen } from '../../components/list-screen.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { Badge } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { outdate } from '../../service/loading.ts';
import { sessionsTexts } from './messages.ts';

const { sessions } = client.auth;

/** Where the user is signed in. */
export default function Sessions() {
  const t = sessionsTexts.value;
  const list = useList('sessions', sessions.list);
  const hasOthers = (list.loaded.data?.pagination.totalCount ?? 0) > 1;
  return (
    <ListScreen
      texts={t}
      icon="monitor-smartphone"
      list={list}
      columns={columns()}
      nameOf={deviceOf}
      buttons={(show) =>
        hasOthers && (
          <Button icon="log-out" onClick={() => show(<EndOthers />)}>
            {t.endOthers}
          </Button>
        )
      }
      actions={actionsOf}
    />
  );
}

function actionsOf(session: Session, show: Show): MenuItem[] {
  if (session.current) return [];
  const end = () => show(<End session={session} />);
  return [{ label: sessionsTexts.value.end, icon: 'log-out', isDangerous: true, onSelect: end }];
}

function EndOthers() {
  const t = sessionsTexts.value;
  return (
    <Confirm
      title={t.endOthersTitle}
      action={t.endOthers}
      onConfirm={async () => {
        await send(sessions.deleteOthers());
        outdate('sessions?');
        return t.endedOthers;
      }}
    >
      <p>{t.endOthersText}</p>
    </Confirm>
  );
}

function End({ session }: { readonly session: Session }) {
  const t = sessionsTexts.value;
  return (
    <Confirm
      title={t.endTitle}
      action={t.end}
      onConfirm={async () => {
        await send(sessions.delete(session.id));
        outdate('sessions?');
        return t.ended;
      }}
    >
      <p>
        <strong>{deviceOf(session)}</strong>, {session.ipAddress}
      </p>
      <p>{t.endText}</p>
    </Confirm>
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
  return browser ?? system ?? userAgent ?? common.value.unknownProgram;
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
    },
    {
      id: 'ipAddress',
      label: t.address,
      cell: ({ ipAddress }) => <span class="mono">{ipAddress}</span>,
    },
    timeColumn('lastUsedAt', common.value.lastUsed, { form: 'distance' }),
    timeColumn('createdAt', t.signedIn, { form: 'time', sort: 'desc' }),
    timeColumn('expiresAt', t.expires, { form: 'distance' }),
  ];
}
