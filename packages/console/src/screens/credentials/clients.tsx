import type {
  CreatedOAuthClient,
  OAuthClient,
  RotatedClientSecret,
  Scope,
} from '@document-vault/sdk';
import { createOAuthClients } from '@document-vault/sdk/oauth-clients';
import { useState } from 'preact/hooks';
import { type Column, timeColumn } from '../../components/column.tsx';
import { Confirm, DoneDialog, FormDialog, type Show } from '../../components/dialog.tsx';
import { Lines } from '../../components/facts.tsx';
import { listOf, SelectField, TextArea, TextField } from '../../components/form.tsx';
import { useList } from '../../components/list.ts';
import { ListScreen } from '../../components/list-screen.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { offeredScopes, requireScope, ScopeChoice, Scopes } from '../../components/scopes.tsx';
import { Badge, Note, ShownOnce } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, isAdministrator, send } from '../../service/client.ts';
import { outdate, replaceRow, useLoaded } from '../../service/loading.ts';
import { report } from '../../shell/toasts.tsx';
import { clientTexts, keyTexts } from './messages.ts';

const clients = createOAuthClients(client);

/** The service has metadata (RFC 8414) while it serves OAuth. */
async function servesOAuth(): Promise<boolean> {
  return (await client.fetch('/.well-known/oauth-authorization-server')).ok;
}

/** The OAuth clients of the account. */
export default function OAuthClientsScreen() {
  const t = clientTexts.value;
  const list = useList('oauth-clients', clients.list);
  const served = useLoaded('oauth', servesOAuth);
  const hasClients = (list.loaded.data?.pagination.totalCount ?? 0) > 0;
  return (
    <ListScreen
      texts={t}
      icon="app-window"
      above={<a href={pathTo('api-keys')}>{keyTexts.value.title}</a>}
      list={list}
      columns={columns()}
      id="clientId"
      create={(show) => <ClientForm show={show} />}
      actions={actionsOf}
    >
      {hasClients && served.data === false && <Note kind="warning">{t.off}</Note>}
    </ListScreen>
  );
}

function actionsOf(app: OAuthClient, show: Show): MenuItem[] {
  const t = clientTexts.value;
  const { clientId, disabled } = app;
  const change: MenuItem = {
    label: common.value.change,
    icon: 'pencil',
    onSelect: () => show(<ClientForm app={app} show={show} />),
  };
  const rotate: MenuItem = {
    label: t.rotate,
    icon: 'rotate-ccw',
    onSelect: () =>
      show(
        <Confirm
          title={t.rotateTitle(app.name)}
          action={t.rotate}
          onConfirm={async () => showSecret(await send(clients.rotateSecret(clientId)), show)}
        >
          <p>{t.rotateText}</p>
        </Confirm>,
      ),
  };
  return [
    change,
    ...(app.tokenEndpointAuthMethod.startsWith('client_secret') ? [rotate] : []),
    {
      label: disabled ? t.enable : t.disable,
      icon: disabled ? 'play' : 'pause',
      onSelect: () => setDisabled(app, !disabled),
    },
    {
      label: common.value.delete,
      icon: 'trash-2',
      isDangerous: true,
      onSelect: () => show(<DeleteClient app={app} />),
    },
  ];
}

function setDisabled({ clientId, name }: OAuthClient, disabled: boolean): void {
  void report(async () => {
    const changed = await send(clients.update(clientId, { disabled }));
    replaceRow('oauth-clients?', changed, 'clientId');
    const t = clientTexts.value;
    return disabled ? t.isDisabled(name) : t.isEnabled(name);
  });
}

function DeleteClient({ app }: { readonly app: OAuthClient }) {
  const t = clientTexts.value;
  return (
    <Confirm
      title={common.value.deleteTitle(app.name)}
      action={common.value.delete}
      onConfirm={async () => {
        await send(clients.delete(app.clientId));
        outdate('oauth');
        return common.value.deleted(app.name);
      }}
    >
      <p>{t.deleteText}</p>
    </Confirm>
  );
}

function columns(): Column<OAuthClient>[] {
  const t = clientTexts.value;
  return [
    {
      id: 'name',
      label: common.value.name,
      sort: 'asc',
      cell: ({ name, clientId, verified }) => (
        <Lines below={clientId} isMono>
          <span class="row">
            <strong>{name}</strong>
            {verified && <Badge kind="success">{t.verified}</Badge>}
          </span>
        </Lines>
      ),
    },
    {
      id: 'type',
      label: t.type,
      cell: ({ type }) => (type === 'public' ? t.publicShort : t.confidentialShort),
    },
    { id: 'scopes', label: common.value.scopes, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    {
      id: 'disabled',
      label: common.value.state,
      cell: ({ disabled }) => (
        <Badge kind={disabled ? 'neutral' : 'success'}>{disabled ? t.disabled : t.enabled}</Badge>
      ),
    },
    timeColumn('createdAt', common.value.createdAt, { form: 'day', sort: 'desc' }),
  ];
}

interface ClientFormProps {
  /** The client to change. Default: a new one */
  readonly app?: OAuthClient;
  readonly show: Show;
}

/** Creates or changes a client. Its type stays. */
function ClientForm({ app, show }: ClientFormProps) {
  const t = clientTexts.value;
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(app?.scopes));
  const offered = offeredScopes(app?.scopes);
  const save = async ({ name = '', type, redirectUris = '' }: Record<string, string>) => {
    const fields = {
      name,
      redirectUris: listOf(redirectUris),
      scopes: offered.filter((scope) => scopes.has(scope)),
    };
    if (app) {
      // The service refuses scopes that this user cannot grant, also those that the client has.
      const isSame = scopes.symmetricDifference(new Set(app.scopes)).size === 0;
      const { scopes: _, ...others } = fields;
      const changed = await send(clients.update(app.clientId, isSame ? others : fields));
      replaceRow('oauth-clients?', changed, 'clientId');
      return common.value.changed(name);
    }
    const kind = type === 'public' ? 'public' : 'confidential';
    const created = await send(clients.create({ ...fields, type: kind }));
    outdate('oauth');
    return showSecret(created, show);
  };
  return (
    <FormDialog
      title={app ? t.changeTitle : t.create}
      action={app ? common.value.save : t.createAction}
      onSend={save}
      validate={() => requireScope(scopes)}
    >
      {app?.verified && !isAdministrator.value && <Note kind="warning">{t.endsVerification}</Note>}
      <TextField
        name="name"
        label={common.value.name}
        hint={t.nameHint}
        defaultValue={app?.name ?? ''}
        maxlength={120}
        required
        autofocus
      />
      {!app && (
        <SelectField
          name="type"
          label={t.type}
          options={[
            ['confidential', t.confidential],
            ['public', t.public],
          ]}
        />
      )}
      <TextArea
        name="redirectUris"
        label={t.redirectUris}
        hint={t.redirectUrisHint}
        defaultValue={app?.redirectUris.join('\n') ?? ''}
        spellcheck={false}
      />
      <ScopeChoice scopes={offered} chosen={scopes} onChange={setScopes} />
    </FormDialog>
  );
}

/** Shows id and secret of an app. The secret is shown this once. */
function showSecret(
  { clientId, clientSecret }: CreatedOAuthClient | RotatedClientSecret,
  show: Show,
): undefined {
  const t = clientTexts.value;
  show(
    <DoneDialog title={t.created}>
      <p>
        {t.clientId}: <code>{clientId}</code>
      </p>
      {clientSecret === null ? (
        <Note kind="info">{t.noSecret}</Note>
      ) : (
        <ShownOnce label={t.clientSecret} secret={clientSecret} />
      )}
    </DoneDialog>,
  );
}
