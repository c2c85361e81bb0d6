import type { AdministerUser, ListUsers, User } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/column.ts';
import { Actions, Confirm, Dialog } from '../../components/dialog.tsx';
import { Filter } from '../../components/filter.tsx';
import { FormError, SelectField, useForm } from '../../components/form.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { Page } from '../../components/page.tsx';
import { Badge, Failed, Loading } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { common } from '../../messages/common.ts';
import { formatDate } from '../../messages/format.ts';
import { client, send } from '../../service/client.ts';
import { replaceRow, useLoaded } from '../../service/loading.ts';
import { listQuery, type Query, useQuery } from '../../service/query.ts';
import { announce, announceError } from '../../shell/toasts.tsx';
import { userTexts } from './messages.ts';
import { Usage } from './usage.tsx';

interface Open {
  readonly kind: 'change' | 'suspend' | 'usage';
  readonly user: User;
}

const tiers = ['free', 'paid', 'enterprise'] as const;
const roles = ['user', 'admin'] as const;
const states = ['active', 'suspended'] as const;

const roleLabel = (role: User['role']) =>
  role === 'admin' ? userTexts.value.isAdmin : userTexts.value.isUser;

/** All accounts, for administrators. */
export default function Users() {
  const t = userTexts.value;
  const query = useQuery();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const filters = filtersOf(query.values);
  const loaded = useLoaded(`users?${JSON.stringify(filters)}`, () =>
    send(client.users.list(filters)),
  );
  return (
    <Page title={t.title} description={t.description}>
      <Table
        label={t.title}
        columns={columns()}
        loaded={loaded}
        idOf={({ id }) => id}
        nameOf={({ email }) => email}
        query={query}
        defaultSort={{ by: 'createdAt', order: 'desc' }}
        actions={(user) => actionsOf(user, setOpen)}
        search={t.search}
        filterNames={['tier', 'role', 'status']}
        filters={<Filters query={query} />}
        exported={{ name: 'users', list: () => client.users.list(filters) }}
        empty={null}
      />
      {open?.kind === 'change' && <ChangeUser user={open.user} onClose={close} />}
      {open?.kind === 'usage' && <UserUsage user={open.user} onClose={close} />}
      {open?.kind === 'suspend' && (
        <Confirm
          title={t.suspendTitle(open.user.email)}
          action={t.suspend}
          onClose={close}
          onConfirm={async () => {
            await administer(open.user, { status: 'suspended' });
            announce(t.isSuspended(open.user.email));
          }}
        >
          <p>{t.suspendText}</p>
        </Confirm>
      )}
    </Page>
  );
}

function Filters({ query }: { readonly query: Query }) {
  const t = userTexts.value;
  const option = (value: string, label: string) => (
    <option key={value} value={value}>
      {label}
    </option>
  );
  return (
    <>
      <Filter label={t.role} name="role" query={query} all={t.allRoles}>
        {roles.map((role) => option(role, roleLabel(role)))}
      </Filter>
      <Filter label={t.tier} name="tier" query={query} all={t.allTiers}>
        {tiers.map((tier) => option(tier, t[tier]))}
      </Filter>
      <Filter label={common.value.state} name="status" query={query} all={t.allStates}>
        {states.map((status) => option(status, t[status]))}
      </Filter>
    </>
  );
}

/** Users can edit the address: an unknown value is no filter. */
function filtersOf(values: Query['values']): ListUsers {
  const tier = tiers.find((known) => known === values.tier);
  const role = roles.find((known) => known === values.role);
  const status = states.find((known) => known === values.status);
  return {
    ...(listQuery(values) as ListUsers),
    ...(values.search && { search: values.search }),
    ...(tier && { tier }),
    ...(role && { role }),
    ...(status && { status }),
  };
}

/** Changes an account, and shows the change without a further request. */
async function administer({ id }: User, changes: AdministerUser): Promise<void> {
  const changed = await send(client.users.update(id, changes));
  replaceRow('users?', changed, 'id');
}

async function resume(user: User): Promise<void> {
  try {
    await administer(user, { status: 'active' });
    announce(userTexts.value.isResumed(user.email));
  } catch (error) {
    announceError(error);
  }
}

function actionsOf(user: User, open: (dialog: Open) => void): MenuItem[] {
  const t = userTexts.value;
  return [
    { label: t.usage, icon: 'gauge', onSelect: () => open({ kind: 'usage', user }) },
    { label: t.change, icon: 'pencil', onSelect: () => open({ kind: 'change', user }) },
    user.status === 'active'
      ? {
          label: t.suspend,
          icon: 'user-x',
          isDangerous: true,
          onSelect: () => open({ kind: 'suspend', user }),
        }
      : { label: t.resume, icon: 'user-check', onSelect: () => void resume(user) },
  ];
}

function columns(): Column<User>[] {
  const t = userTexts.value;
  return [
    {
      id: 'email',
      label: t.user,
      sort: { by: 'email', first: 'asc' },
      cell: ({ email, name }) => (
        <span class="cell-lines">
          <strong>{name}</strong>
          <span class="soft truncate">{email}</span>
        </span>
      ),
      exported: ({ email }) => email,
    },
    {
      id: 'role',
      label: t.role,
      cell: ({ role }) =>
        role === 'admin' ? <Badge kind="accent">{t.isAdmin}</Badge> : <span>{t.isUser}</span>,
      exported: ({ role }) => role,
    },
    {
      id: 'tier',
      label: t.tier,
      cell: ({ tier }) => t[tier],
      exported: ({ tier }) => tier,
    },
    {
      id: 'status',
      label: common.value.state,
      cell: ({ status }) => (
        <Badge kind={status === 'active' ? 'success' : 'error'}>{t[status]}</Badge>
      ),
      exported: ({ status }) => status,
    },
    {
      id: 'createdAt',
      label: t.registered,
      sort: { by: 'createdAt', first: 'desc' },
      cell: ({ createdAt }) => <time dateTime={createdAt}>{formatDate(createdAt)}</time>,
      exported: ({ createdAt }) => createdAt,
    },
  ];
}

interface UserProps {
  readonly user: User;
  readonly onClose: () => void;
}

function ChangeUser({ user, onClose }: UserProps) {
  const t = userTexts.value;
  const form = useForm(async ({ role, tier }) => {
    await administer(user, { role, tier } as AdministerUser);
    announce(t.changed(user.email));
    onClose();
  });
  return (
    <Dialog title={t.changeTitle(user.email)} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        <SelectField name="role" label={t.role} form={form}>
          {roles.map((role) => (
            <option key={role} value={role} selected={role === user.role}>
              {roleLabel(role)}
            </option>
          ))}
        </SelectField>
        <SelectField name="tier" label={t.tier} form={form}>
          {tiers.map((tier) => (
            <option key={tier} value={tier} selected={tier === user.tier}>
              {t[tier]}
            </option>
          ))}
        </SelectField>
        <p class="hint">{t.changeText}</p>
        <FormError form={form} />
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {common.value.save}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

function UserUsage({ user, onClose }: UserProps) {
  const { data, error, reload } = useLoaded(`user ${user.id}`, () =>
    send(client.users.get(user.id)),
  );
  return (
    <Dialog title={userTexts.value.usageTitle(user.email)} onClose={onClose}>
      {data ? (
        <Usage usage={data.usage} />
      ) : error === undefined ? (
        <Loading />
      ) : (
        <Failed error={error} onRetry={reload} />
      )}
    </Dialog>
  );
}
