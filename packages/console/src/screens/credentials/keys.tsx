import type { ApiKey, CreatedApiKey, Scope } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { type Column, timeColumn } from '../../components/column.tsx';
import { Confirm, DoneDialog, FormDialog, type Show } from '../../components/dialog.tsx';
import { Lines } from '../../components/facts.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { useList } from '../../components/list.ts';
import { ListScreen } from '../../components/list-screen.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { offeredScopes, requireScope, ScopeChoice, Scopes } from '../../components/scopes.tsx';
import { Badge, ShownOnce } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { common } from '../../messages/common.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { outdate } from '../../service/loading.ts';
import { clientTexts, keyTexts } from './messages.ts';

/** The API keys of the account. */
export default function ApiKeys() {
  return (
    <ListScreen
      texts={keyTexts.value}
      icon="key-round"
      list={useList('api-keys', client.apiKeys.list)}
      columns={columns()}
      id="keyId"
      create={() => <CreateKey />}
      buttons={() => (
        <a class="button secondary" href={pathTo('oauth-clients')}>
          {clientTexts.value.title}
        </a>
      )}
      actions={actionsOf}
    />
  );
}

function actionsOf({ keyId, name }: ApiKey, show: Show): MenuItem[] {
  const t = keyTexts.value;
  const revoke = async () => {
    await send(client.apiKeys.delete(keyId));
    outdate('api-keys?');
    return t.revoked(name);
  };
  const ask = () =>
    show(
      <Confirm title={t.revokeTitle(name)} action={common.value.revoke} onConfirm={revoke}>
        <p>{t.revokeText}</p>
      </Confirm>,
    );
  return [{ label: common.value.revoke, icon: 'trash-2', isDangerous: true, onSelect: ask }];
}

function columns(): Column<ApiKey>[] {
  const t = keyTexts.value;
  return [
    {
      id: 'name',
      label: common.value.name,
      sort: 'asc',
      cell: ({ name, prefix }) => (
        <Lines below={`${prefix}…`} isMono>
          <strong>{name}</strong>
        </Lines>
      ),
    },
    { id: 'scopes', label: common.value.scopes, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    timeColumn('lastUsedAt', common.value.lastUsed, { form: 'distance', none: t.never }),
    {
      id: 'expiresAt',
      label: t.expires,
      cell: ({ expiresAt }) =>
        expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? (
          <Badge kind="error">{common.value.expired}</Badge>
        ) : (
          <Time at={expiresAt} form="distance" none={t.never} />
        ),
    },
    timeColumn('createdAt', common.value.createdAt, { form: 'day', sort: 'desc' }),
  ];
}

const day = 86_400_000;

function CreateKey() {
  const t = keyTexts.value;
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set());
  const offered = offeredScopes();
  const [created, setCreated] = useState<CreatedApiKey>();
  const create = async ({ name = '', days }: Record<string, string>) => {
    const expiresAt = days ? new Date(Date.now() + Number(days) * day).toISOString() : null;
    const chosen = offered.filter((scope) => scopes.has(scope));
    setCreated(await send(client.apiKeys.create({ name, scopes: chosen, expiresAt })));
    outdate('api-keys?');
    return undefined;
  };
  if (created) {
    return (
      <DoneDialog title={t.created}>
        <ShownOnce label={created.name} secret={created.key} />
      </DoneDialog>
    );
  }
  return (
    <FormDialog
      title={t.create}
      action={t.createAction}
      onSend={create}
      validate={() => requireScope(scopes)}
    >
      <TextField
        name="name"
        label={common.value.name}
        hint={t.nameHint}
        maxlength={120}
        required
        autofocus
      />
      <ScopeChoice scopes={offered} chosen={scopes} onChange={setScopes} />
      <SelectField
        name="days"
        label={t.expiry}
        chosen="90"
        options={[
          ['30', t.days(30)],
          ['90', t.days(90)],
          ['365', t.year],
          ['', t.never],
        ]}
      />
    </FormDialog>
  );
}
