import type { ApiKey, CreatedApiKey, ListApiKeys, Scope } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/column.ts';
import { Actions, Confirm, Dialog } from '../../components/dialog.tsx';
import { Time } from '../../components/facts.tsx';
import { FormError, SelectField, TextField, useForm } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ScopeChoice, Scopes } from '../../components/scope-choice.tsx';
import { ShownOnce } from '../../components/secret.tsx';
import { Badge, Empty } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { common } from '../../messages/common.ts';
import { formatDate } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { outdate, useLoaded } from '../../service/loading.ts';
import { listQuery, useQuery } from '../../service/query.ts';
import { offeredScopes } from '../../service/scopes.ts';
import { useShortcut } from '../../shell/shortcuts.tsx';
import { announce } from '../../shell/toasts.tsx';
import { credentialTexts } from './messages.ts';

/** The API keys of the account. */
export default function ApiKeys() {
  const t = credentialTexts.value;
  const query = useQuery();
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  const filters = listQuery(query.values) as ListApiKeys;
  const loaded = useLoaded(`api-keys?${JSON.stringify(filters)}`, () =>
    send(client.apiKeys.list(filters)),
  );
  const create = () => setCreating(true);
  useShortcut('n', t.createKey, create);
  const createButton = (
    <Button kind="primary" icon="plus" onClick={create}>
      {t.createKey}
    </Button>
  );
  return (
    <Page
      title={t.keys}
      description={t.keysText}
      actions={
        <>
          <a class="button secondary" href={pathTo('oauth-clients')}>
            {t.clients}
          </a>
          {createButton}
        </>
      }
    >
      <Table
        label={t.keys}
        columns={columns()}
        loaded={loaded}
        idOf={({ keyId }) => keyId}
        nameOf={({ name }) => name}
        query={query}
        defaultSort={{ by: 'createdAt', order: 'desc' }}
        actions={(key) => [
          { label: t.revoke, icon: 'trash-2', isDangerous: true, onSelect: () => setRevoked(key) },
        ]}
        exported={{ name: 'api-keys', list: () => client.apiKeys.list(filters) }}
        empty={
          <Empty icon="key-round" title={t.noKeysTitle} action={createButton}>
            {t.noKeys}
          </Empty>
        }
      />
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
      {revoked && (
        <Confirm
          title={t.revokeTitle(revoked.name)}
          action={t.revoke}
          onClose={() => setRevoked(undefined)}
          onConfirm={async () => {
            await send(client.apiKeys.delete(revoked.keyId));
            outdate('api-keys?');
            announce(t.revoked(revoked.name));
          }}
        >
          <p>{t.revokeText}</p>
        </Confirm>
      )}
    </Page>
  );
}

function columns(): Column<ApiKey>[] {
  const t = credentialTexts.value;
  return [
    {
      id: 'name',
      label: common.value.name,
      sort: { by: 'name', first: 'asc' },
      cell: ({ name, prefix }) => (
        <span class="cell-lines">
          <strong>{name}</strong>
          <span class="soft mono truncate">{prefix}…</span>
        </span>
      ),
      exported: ({ name }) => name,
    },
    {
      id: 'scopes',
      label: common.value.scopes,
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
      exported: ({ scopes }) => scopes.join(' '),
    },
    {
      id: 'lastUsedAt',
      label: t.lastUsed,
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? <Time at={lastUsedAt} isDistance /> : <span class="soft">{t.never}</span>,
      exported: ({ lastUsedAt }) => lastUsedAt,
    },
    {
      id: 'expiresAt',
      label: t.expires,
      cell: ({ expiresAt }) => <Expiry at={expiresAt} />,
      exported: ({ expiresAt }) => expiresAt,
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

function Expiry({ at }: { readonly at: string | null }) {
  const t = credentialTexts.value;
  if (at === null) return <span class="soft">{t.noExpiry}</span>;
  return Date.parse(at) <= Date.now() ? (
    <Badge kind="error">{t.expired}</Badge>
  ) : (
    <Time at={at} isDistance />
  );
}

const day = 86_400_000;

function CreateKey({ onClose }: { readonly onClose: () => void }) {
  const t = credentialTexts.value;
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set());
  const offered = offeredScopes();
  const [created, setCreated] = useState<CreatedApiKey>();
  const form = useForm(
    async ({ name = '', days }) => {
      const expiresAt = days ? new Date(Date.now() + Number(days) * day).toISOString() : null;
      const chosen = offered.filter((scope) => scopes.has(scope));
      setCreated(await send(client.apiKeys.create({ name, scopes: chosen, expiresAt })));
      outdate('api-keys?');
    },
    () => (scopes.size === 0 ? { scopes: () => credentialTexts.value.noScopes } : {}),
  );
  if (created) {
    return (
      <Dialog title={t.keyCreated} onClose={onClose}>
        <div class="stack">
          <ShownOnce label={created.name} secret={created.key} />
          <Actions>
            <Button kind="primary" onClick={onClose}>
              {common.value.done}
            </Button>
          </Actions>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t.createKey} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        <TextField
          name="name"
          label={common.value.name}
          form={form}
          hint={t.keyNameHint}
          maxlength={120}
          required
          autofocus
        />
        <ScopeChoice form={form} scopes={offered} chosen={scopes} onChange={setScopes} />
        <SelectField name="days" label={t.expiry} form={form} defaultValue="90">
          {[30, 90].map((count) => (
            <option key={count} value={String(count)} selected={count === 90}>
              {t.days(count)}
            </option>
          ))}
          <option value="365">{t.year}</option>
          <option value="">{t.noExpiry}</option>
        </SelectField>
        <FormError form={form} />
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {t.createKeyAction}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
