import type { Consent, ListConsents } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/column.ts';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { Time } from '../../components/facts.tsx';
import { FormError, TextArea, TextField, useForm } from '../../components/form.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { Page } from '../../components/page.tsx';
import { Scopes } from '../../components/scope-choice.tsx';
import { Badge, Empty } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { outdate, replaceRow, useLoaded } from '../../service/loading.ts';
import { listQuery, useQuery } from '../../service/query.ts';
import { useShortcut } from '../../shell/shortcuts.tsx';
import { announce, announceError } from '../../shell/toasts.tsx';
import { consentTexts } from './messages.ts';

/** The consents of the user. Those for apps are what gives them access. */
export default function Consents() {
  const t = consentTexts.value;
  const query = useQuery();
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Consent>();
  const filters = listQuery(query.values) as ListConsents;
  const loaded = useLoaded(`consents?${JSON.stringify(filters)}`, () =>
    send(client.consents.list(filters)),
  );
  const create = () => setCreating(true);
  useShortcut('n', t.create, create);
  const createButton = (
    <Button kind="primary" icon="plus" onClick={create}>
      {t.create}
    </Button>
  );
  return (
    <Page title={t.title} description={t.description} actions={createButton}>
      <Table
        label={t.title}
        columns={columns()}
        loaded={loaded}
        idOf={({ id }) => id}
        nameOf={({ purpose }) => purpose}
        query={query}
        defaultSort={{ by: 'createdAt', order: 'desc' }}
        actions={(consent) => actionsOf(consent, setRevoked)}
        exported={{ name: 'consents', list: () => client.consents.list(filters) }}
        empty={
          <Empty icon="handshake" title={t.emptyTitle} action={createButton}>
            {t.empty}
          </Empty>
        }
      />
      {isCreating && <CreateConsent onClose={() => setCreating(false)} />}
      {revoked && <Revoke consent={revoked} onClose={() => setRevoked(undefined)} />}
    </Page>
  );
}

/** The consent of an app cannot be renewed: the app has to ask again. */
function actionsOf(consent: Consent, revoke: (consent: Consent) => void): MenuItem[] {
  const t = consentTexts.value;
  const { status, clientId } = consent;
  if (status === 'granted') {
    return [{ label: t.revoke, icon: 'x', isDangerous: true, onSelect: () => revoke(consent) }];
  }
  return clientId
    ? []
    : [{ label: t.renew, icon: 'rotate-ccw', onSelect: () => void renew(consent) }];
}

async function renew({ id }: Consent): Promise<void> {
  try {
    replaceRow('consents?', await send(client.consents.update(id, { status: 'granted' })), 'id');
    announce(consentTexts.value.renewed);
  } catch (error) {
    announceError(error);
  }
}

const statusKinds = { granted: 'success', revoked: 'error', expired: 'neutral' } as const;

function columns(): Column<Consent>[] {
  const t = consentTexts.value;
  return [
    {
      id: 'purpose',
      label: t.purpose,
      cell: ({ purpose, description }) => (
        <span class="cell-lines">
          <strong>{purpose}</strong>
          {description && <span class="soft truncate">{description}</span>}
        </span>
      ),
      exported: ({ purpose }) => purpose,
    },
    {
      id: 'grantedTo',
      label: t.grantedTo,
      cell: ({ grantedTo, clientId }) => (
        <span class="row">
          {grantedTo}
          {clientId && <Badge kind="accent">{t.app}</Badge>}
        </span>
      ),
      exported: ({ grantedTo }) => grantedTo,
    },
    {
      id: 'scopes',
      label: common.value.scopes,
      cell: ({ scopes }) => (scopes ? <Scopes scopes={scopes} /> : <span class="soft">–</span>),
      exported: ({ scopes }) => scopes?.join(' ') ?? null,
    },
    {
      id: 'status',
      label: common.value.state,
      cell: ({ status, revocationReason }) => (
        <span title={revocationReason ?? ''}>
          <Badge kind={statusKinds[status]}>{t[status]}</Badge>
        </span>
      ),
      exported: ({ status }) => status,
    },
    {
      id: 'grantedAt',
      label: t.since,
      cell: ({ grantedAt }) => <Time at={grantedAt} isDistance />,
      exported: ({ grantedAt }) => grantedAt,
    },
    {
      id: 'expiresAt',
      label: t.ends,
      cell: ({ expiresAt }) =>
        expiresAt ? <Time at={expiresAt} isDistance /> : <span class="soft">{t.noEnd}</span>,
      exported: ({ expiresAt }) => expiresAt,
    },
  ];
}

function CreateConsent({ onClose }: { readonly onClose: () => void }) {
  const t = consentTexts.value;
  const form = useForm(async ({ purpose = '', grantedTo = '', description, expiresAt }) => {
    await send(
      client.consents.create({
        purpose,
        grantedTo,
        description: description || null,
        expiresAt: expiresAt ? new Date(expiresAt).toISOString() : null,
      }),
    );
    outdate('consents?');
    announce(t.created);
    onClose();
  });
  return (
    <Dialog title={t.create} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        <TextField
          name="purpose"
          label={t.purpose}
          form={form}
          maxlength={200}
          required
          autofocus
        />
        <TextField name="grantedTo" label={t.grantedTo} form={form} maxlength={200} required />
        <TextArea name="description" label={t.text} form={form} isOptional maxlength={2000} />
        <TextField
          name="expiresAt"
          type="datetime-local"
          label={t.ends}
          form={form}
          isOptional
          hint={t.endsHint}
        />
        <FormError form={form} />
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {t.createAction}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

function Revoke({ consent, onClose }: { consent: Consent; onClose: () => void }) {
  const t = consentTexts.value;
  const form = useForm(async ({ reason }) => {
    const changes = { status: 'revoked' as const, ...(reason && { reason }) };
    replaceRow('consents?', await send(client.consents.update(consent.id, changes)), 'id');
    announce(t.isRevoked);
    onClose();
  });
  return (
    <Dialog title={t.revokeTitle(consent.grantedTo)} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        <p>{consent.clientId ? t.revokeAppText : t.revokeText}</p>
        <TextField name="reason" label={t.reason} form={form} isOptional maxlength={500} />
        <FormError form={form} />
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="danger" isBusy={form.isBusy}>
            {t.revoke}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
