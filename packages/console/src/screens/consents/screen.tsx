import type { Consent } from '@document-vault/sdk';
import { type Column, timeColumn } from '../../components/column.tsx';
import { FormDialog, type Show } from '../../components/dialog.tsx';
import { Lines } from '../../components/facts.tsx';
import { TextArea, TextField } from '../../components/form.tsx';
import { useList } from '../../components/list.ts';
import { ListScreen } from '../../components/list-screen.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { Scopes } from '../../components/scopes.tsx';
import { Badge } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { outdate, replaceRow } from '../../service/loading.ts';
import { report } from '../../shell/toasts.tsx';
import { consentTexts } from './messages.ts';

/** The consents of the user. Those for apps are what gives them access. */
export default function Consents() {
  return (
    <ListScreen
      texts={consentTexts.value}
      icon="handshake"
      list={useList('consents', client.consents.list)}
      columns={columns()}
      create={() => <CreateConsent />}
      actions={actionsOf}
    />
  );
}

/** The consent of an app cannot be renewed: the app has to ask again. */
function actionsOf(consent: Consent, show: Show): MenuItem[] {
  const t = consentTexts.value;
  const { status, clientId } = consent;
  if (status === 'granted') {
    const revoke = () => show(<Revoke consent={consent} />);
    return [{ label: common.value.revoke, icon: 'x', isDangerous: true, onSelect: revoke }];
  }
  return clientId ? [] : [{ label: t.renew, icon: 'rotate-ccw', onSelect: () => renew(consent) }];
}

function renew({ id }: Consent): void {
  void report(async () => {
    replaceRow('consents?', await send(client.consents.update(id, { status: 'granted' })), 'id');
    return consentTexts.value.renewed;
  });
}

const statusKinds = { granted: 'success', revoked: 'error', expired: 'neutral' } as const;

function columns(): Column<Consent>[] {
  const t = consentTexts.value;
  return [
    {
      id: 'purpose',
      label: t.purpose,
      cell: ({ purpose, description }) => (
        <Lines below={description}>
          <strong>{purpose}</strong>
        </Lines>
      ),
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
    },
    {
      id: 'scopes',
      label: common.value.scopes,
      cell: ({ scopes }) => (scopes ? <Scopes scopes={scopes} /> : <span class="soft">–</span>),
    },
    {
      id: 'status',
      label: common.value.state,
      cell: ({ status, revocationReason }) => (
        <span title={revocationReason ?? ''}>
          <Badge kind={statusKinds[status]}>{t[status]}</Badge>
        </span>
      ),
    },
    timeColumn('grantedAt', t.since, { form: 'distance' }),
    timeColumn('expiresAt', t.ends, { form: 'distance', none: t.noEnd }),
  ];
}

function CreateConsent() {
  const t = consentTexts.value;
  const create = async (values: Record<string, string>) => {
    const { purpose = '', grantedTo = '', description, expiresAt } = values;
    await send(
      client.consents.create({
        purpose,
        grantedTo,
        description: description || null,
        expiresAt: expiresAt ? new Date(expiresAt).toISOString() : null,
      }),
    );
    outdate('consents?');
    return t.created;
  };
  return (
    <FormDialog title={t.create} action={t.createAction} onSend={create}>
      <TextField name="purpose" label={t.purpose} maxlength={200} required autofocus />
      <TextField name="grantedTo" label={t.grantedTo} maxlength={200} required />
      <TextArea name="description" label={common.value.description} isOptional maxlength={2000} />
      <TextField
        name="expiresAt"
        type="datetime-local"
        label={t.ends}
        isOptional
        hint={t.endsHint}
      />
    </FormDialog>
  );
}

function Revoke({ consent }: { readonly consent: Consent }) {
  const t = consentTexts.value;
  const revoke = async ({ reason }: Record<string, string>) => {
    const changes = { status: 'revoked' as const, ...(reason && { reason }) };
    replaceRow('consents?', await send(client.consents.update(consent.id, changes)), 'id');
    return t.isRevoked;
  };
  return (
    <FormDialog
      title={t.revokeTitle(consent.grantedTo)}
      action={common.value.revoke}
      kind="danger"
      onSend={revoke}
    >
      <p>{consent.clientId ? t.revokeAppText : t.revokeText}</p>
      <TextField name="reason" label={t.reason} isOptional maxlength={500} />
    </FormDialog>
  );
}
