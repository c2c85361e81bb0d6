import type { AdministerUser, ListUsers, User } from '@document-vault/sdk';
import { type Column, timeColumn } from '../../components/column.tsx';
import { Confirm, Dialog, FormDialog, type Show } from '../../components/dialog.tsx';
import { Lines } from '../../components/facts.tsx';
import { SelectField, useForm } from '../../components/form.tsx';
import { oneOf, useList } from '../../components/list.ts';
import { ListScreen } from '../../components/list-screen.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { Filter, type Option } from '../../components/options.tsx';
import { Await, Badge } from '../../components/states.tsx';
import { tiers } from '../../generated/choices.ts';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { replaceRow, useLoaded } from '../../service/loading.ts';
import { announce, report } from '../../shell/toasts.tsx';
import { userTexts } from './messages.ts';
import { Usage } from './usage.tsx';

const roles = ['user', 'admin'] as const satisfies readonly User['role'][];
const states = ['active', 'suspended'] as const satisfies readonly User['status'][];

const roleOptions = (): Option[] => roles.map((role) => [role, userTexts.value[role]]);
const tierOptions = (): Option[] => tiers.map((tier) => [tier, userTexts.value[tier]]);

/** All accounts, for administrators. */
export default function Users() {
  const t = userTexts.value;
  const list = useList('users', (filters: ListUsers) => client.users.list(filters), {
    filters: { search: String, tier: oneOf(tiers), role: oneOf(roles), status: oneOf(states) },
  });
  const { query } = list;
  return (
    <ListScreen
      texts={t}
      icon="users"
      list={list}
      columns={columns()}
      actions={actionsOf}
      search={t.search}
      filters={
        <>
          <Filter
            label={t.role}
            name="role"
            query={query}
            all={t.allRoles}
            options={roleOptions()}
          />
          <Filter
            label={t.tier}
            name="tier"
            query={query}
            all={t.allTiers}
            options={tierOptions()}
          />
          <Filter
            label={common.value.state}
            name="status"
            query={query}
            all={common.value.allStates}
            options={states.map((status) => [status, t[status]])}
          />
        </>
      }
    />
  );
}

/** Changes an account, and shows the change without a further request. */
async function administer({ id }: User, changes: AdministerUser): Promise<void> {
  const changed = await send(client.users.update(id, changes));
  replaceRow('users?', changed, 'id');
}

function resume(user: User): void {
  void report(async () => {
    await administer(user, { status: 'active' });
    return userTexts.value.isResumed(user.email);
  });
}

function actionsOf(user: User, show: Show): MenuItem[] {
  const t = userTexts.value;
  return [
    {
      label: t.usage,
      icon: 'gauge',
      onSelect: () => show((onClose) => <UserUsage user={user} onClose={onClose} />),
    },
    {
      label: t.change,
      icon: 'pencil',
      onSelect: () => show((onClose) => <ChangeUser user={user} onClose={onClose} />),
    },
    user.status === 'active'
      ? {
          label: t.suspend,
          icon: 'user-x',
          isDangerous: true,
          onSelect: () => show((onClose) => <Suspend user={user} onClose={onClose} />),
        }
      : { label: t.resume, icon: 'user-check', onSelect: () => resume(user) },
  ];
}

function columns(): Column<User>[] {
  const t = userTexts.value;
  return [
    {
      id: 'email',
      label: t.user,
      sort: 'asc',
      cell: ({ email, name }) => (
        <Lines below={email}>
          <strong>{name}</strong>
        </Lines>
      ),
    },
    {
      id: 'role',
      label: t.role,
      cell: ({ role }) =>
        role === 'admin' ? <Badge kind="accent">{t.admin}</Badge> : <span>{t.user}</span>,
    },
    { id: 'tier', label: t.tier, cell: ({ tier }) => t[tier] },
    {
      id: 'status',
      label: common.value.state,
      cell: ({ status }) => (
        <Badge kind={status === 'active' ? 'success' : 'error'}>{t[status]}</Badge>
      ),
    },
    timeColumn('createdAt', t.registered, { form: 'day', sort: 'desc' }),
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
    <FormDialog
      title={t.changeTitle(user.email)}
      form={form}
      action={common.value.save}
      onClose={onClose}
    >
      <SelectField name="role" label={t.role} options={roleOptions()} chosen={user.role} />
      <SelectField name="tier" label={t.tier} options={tierOptions()} chosen={user.tier} />
      <p class="hint">{t.changeText}</p>
    </FormDialog>
  );
}

function Suspend({ user, onClose }: UserProps) {
  const t = userTexts.value;
  return (
    <Confirm
      title={t.suspendTitle(user.email)}
      action={t.suspend}
      onClose={onClose}
      onConfirm={async () => {
        await administer(user, { status: 'suspended' });
        announce(t.isSuspended(user.email));
      }}
    >
      <p>{t.suspendText}</p>
    </Confirm>
  );
}

function UserUsage({ user, onClose }: UserProps) {
  const loaded = useLoaded(`user ${user.id}`, () => send(client.users.get(user.id)));
  return (
    <Dialog title={userTexts.value.usageTitle(user.email)} onClose={onClose}>
      <Await loaded={loaded}>{({ usage }) => <Usage usage={usage} />}</Await>
    </Dialog>
  );
}
