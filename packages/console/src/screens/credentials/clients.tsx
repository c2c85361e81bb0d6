import type { ListOAuthClients, OAuthClient, Scope } from '@document-vault/sdk';
import { createOAuthClients } from '@document-vault/sdk/oauth-clients';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/column.ts';
import { Actions, Confirm, Dialog } from '../../components/dialog.tsx';
import {
  FormError,
  listOf,
  SelectField,
  TextArea,
  TextField,
  useForm,
} from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ScopeChoice, Scopes } from '../../components/scope-choice.tsx';
import { ShownOnce } from '../../components/secret.tsx';
import { Badge, Empty, Note } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { common } from '../../messages/common.ts';
import { formatDate } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, isAdministrator, send } from '../../service/client.ts';
import { outdate, replaceRow, useLoaded } from '../../service/loading.ts';
import { listQuery, useQuery } from '../../service/query.ts';
import { offeredScopes } from '../../service/scopes.ts';
import { announce, announceError } from '../../shell/toasts.tsx';
import { credentialTexts } from './messages.ts';

const clients = createOAuthClients(client);

/** The service has metadata (RFC 8414) while it serves OAuth. */
async function servesOAuth(): Promise<boolean> {
  return (await client.fetch('/.well-known/oauth-authorization-server')).ok;
}

type Open = { readonly kind: 'change' | 'rotate' | 'delete'; readonly app: OAuthClient };

/** Id and secret of an app, which are shown once. */
interface Issued {
  readonly clientId: string;
  readonly clientSecret: string | null;
}

/** The OAuth clients of the account. */
export default function OAuthClientsScreen() {
  const t = credentialTexts.value;
  const query = useQuery();
  const [isCreating, setCreating] = useState(false);
  const [open, setOpen] = useState<Open>();
  const [issued, setIssued] = useState<Issued>();
  const filters = listQuery(query.values) as ListOAuthClients;
  const loaded = useLoaded(`oauth-clients?${JSON.stringify(filters)}`, () =>
    send(clients.list(filters)),
  );
  const served = useLoaded('oauth', servesOAuth);
  const hasClients = (loaded.data?.pagination.totalCount ?? 0) > 0;
  const close = () => setOpen(undefined);
  const createButton = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {t.createClient}
    </Button>
  );
  return (
    <Page
      title={t.clients}
      description={t.clientsText}
      above={<a href={pathTo('api-keys')}>{t.keys}</a>}
      actions={createButton}
    >
      {hasClients && served.data === false && <Note kind="warning">{t.clientsOff}</Note>}
      <Table
        label={t.clients}
        columns={columns()}
        loaded={loaded}
        idOf={({ clientId }) => clientId}
        nameOf={({ name }) => name}
        query={query}
        defaultSort={{ by: 'createdAt', order: 'desc' }}
        actions={(app) => actionsOf(app, setOpen)}
        exported={{ name: 'oauth-clients', list: () => clients.list(filters) }}
        empty={
          <Empty icon="app-window" title={t.noClientsTitle} action={createButton}>
            {t.noClients}
          </Empty>
        }
      />
      {isCreating && <ClientForm onCreated={setIssued} onClose={() => setCreating(false)} />}
      {open?.kind === 'change' && <ClientForm app={open.app} onClose={close} />}
      {issued && <IssuedSecret issued={issued} onClose={() => setIssued(undefined)} />}
      {open?.kind === 'rotate' && (
        <Confirm
          title={t.rotateTitle(open.app.name)}
          action={t.rotate}
          onClose={close}
          onConfirm={async () => setIssued(await send(clients.rotateSecret(open.app.clientId)))}
        >
          <p>{t.rotateText}</p>
        </Confirm>
      )}
      {open?.kind === 'delete' && (
        <Confirm
          title={t.deleteTitle(open.app.name)}
          action={common.value.delete}
          onClose={close}
          onConfirm={async () => {
            await send(clients.delete(open.app.clientId));
            outdate('oauth');
            announce(t.deleted(open.app.name));
          }}
        >
          <p>{t.deleteText}</p>
        </Confirm>
      )}
    </Page>
  );
}

function actionsOf(app: OAuthClient, open: (dialog: Open) => void) {
  const t = credentialTexts.value;
  const hasSecret = app.tokenEndpointAuthMethod.startsWith('client_secret');
  return [
    {
      label: common.value.change,
      icon: 'pencil' as const,
      onSelect: () => open({ kind: 'change', app }),
    },
    ...(hasSecret
      ? [
          {
            label: t.rotate,
            icon: 'rotate-ccw' as const,
            onSelect: () => open({ kind: 'rotate', app }),
          },
        ]
      : []),
    {
      label: app.disabled ? t.enable : t.disable,
      icon: app.disabled ? ('play' as const) : ('pause' as const),
      onSelect: () => void setDisabled(app, !app.disabled),
    },
    {
      label: common.value.delete,
      icon: 'trash-2' as const,
      isDangerous: true,
      onSelect: () => open({ kind: 'delete', app }),
    },
  ];
}

async function setDisabled({ clientId, name }: OAuthClient, disabled: boolean): Promise<void> {
  const t = credentialTexts.value;
  try {
    const changed = await send(clients.update(clientId, { disabled }));
    replaceRow('oauth-clients?', changed, 'clientId');
    announce(disabled ? t.clientDisabled(name) : t.clientEnabled(name));
  } catch (error) {
    announceError(error);
  }
}

function columns(): Column<OAuthClient>[] {
  const t = credentialTexts.value;
  return [
    {
      id: 'name',
      label: common.value.name,
      sort: { by: 'name', first: 'asc' },
      cell: ({ name, clientId, verified }) => (
        <span class="cell-lines">
          <span class="row">
            <strong>{name}</strong>
            {verified && <Badge kind="success">{t.verified}</Badge>}
          </span>
          <span class="soft mono truncate">{clientId}</span>
        </span>
      ),
      exported: ({ name }) => name,
    },
    {
      id: 'type',
      label: t.type,
      cell: ({ type }) => (type === 'public' ? t.publicShort : t.confidentialShort),
      exported: ({ type }) => type,
    },
    {
      id: 'scopes',
      label: common.value.scopes,
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
      exported: ({ scopes }) => scopes.join(' '),
    },
    {
      id: 'disabled',
      label: common.value.state,
      cell: ({ disabled }) => (
        <Badge kind={disabled ? 'neutral' : 'success'}>{disabled ? t.disabled : t.enabled}</Badge>
      ),
      exported: ({ disabled }) => disabled,
    },
    {
      id: 'createdAt',
      label: common.value.createdAt,
      sort: { by: 'createdAt', first: 'desc' },
      cell: ({ createdAt }) => <time dateTime={createdAt}>{formatDate(createdAt)}</time>,
      exported: ({ createdAt }) => createdAt,
    },
  ];
}

interface ClientFormProps {
  /** The client to change. Default: a new one */
  readonly app?: OAuthClient;
  readonly onCreated?: (issued: Issued) => void;
  readonly onClose: () => void;
}

/** Creates or changes a client. Its type stays. */
function ClientForm({ app, onCreated, onClose }: ClientFormProps) {
  const t = credentialTexts.value;
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(app?.scopes));
  const offered = offeredScopes(app?.scopes);
  const form = useForm(
    async ({ name = '', type, redirectUris = '' }) => {
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
        onClose();
        announce(t.clientChanged(name));
        return;
      }
      const kind = type === 'public' ? 'public' : 'confidential';
      const created = await send(clients.create({ ...fields, type: kind }));
      outdate('oauth');
      onClose();
      onCreated?.(created);
    },
    () => (scopes.size === 0 ? { scopes: () => credentialTexts.value.noScopes } : {}),
  );
  return (
    <Dialog title={app ? t.changeClient : t.createClient} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        {app?.verified && !isAdministrator.value && (
          <Note kind="warning">{t.endsVerification}</Note>
        )}
        <TextField
          name="name"
          label={common.value.name}
          form={form}
          hint={t.clientNameHint}
          defaultValue={app?.name ?? ''}
          maxlength={120}
          required
          autofocus
        />
        {!app && (
          <SelectField name="type" label={t.type} form={form}>
            <option value="confidential">{t.confidential}</option>
            <option value="public">{t.public}</option>
          </SelectField>
        )}
        <TextArea
          name="redirectUris"
          label={t.redirectUris}
          form={form}
          hint={t.redirectUrisHint}
          defaultValue={app?.redirectUris.join('\n') ?? ''}
          spellcheck={false}
        />
        <ScopeChoice form={form} scopes={offered} chosen={scopes} onChange={setScopes} />
        <FormError form={form} />
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {app ? common.value.save : t.createClientAction}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

function IssuedSecret({ issued, onClose }: { issued: Issued; onClose: () => void }) {
  const t = credentialTexts.value;
  const { clientId, clientSecret } = issued;
  return (
    <Dialog title={t.clientCreated} onClose={onClose}>
      <div class="stack">
        <p>
          {t.clientId}: <code>{clientId}</code>
        </p>
        {clientSecret === null ? (
          <Note kind="info">{t.noSecret}</Note>
        ) : (
          <ShownOnce label={t.clientSecret} secret={clientSecret} />
        )}
        <Actions>
          <Button kind="primary" onClick={onClose}>
            {common.value.done}
          </Button>
        </Actions>
      </div>
    </Dialog>
  );
}
