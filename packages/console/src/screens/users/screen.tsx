import type { AdministerUser, ListUsers, User } from '@document-vault/sdk';
import { type Column, timeColumn } from '../../components/column.tsx';
import { Confirm, Dialog, FormDialog, type Show } from '../../components/dialog.tsx';
import { Lines } from '../../components/facts.tsx';
import { SelectField } from '../../components/form.tsx';
import { oneOf, useList } from '../../components/list.ts';
import { ListScreen } from '../../components/list-screen.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import type { Option } from '../../components/options.tsx';
import { Await, Badge } from '../../components/states.tsx';
import { tiers } from '../../generated/choices.ts';
import { common } from '../../messages/common.ts';
import { formatSize } from '../../messages/format.ts';
import { client, send } from '../../service/client.ts';
import { replaceRow, useLoaded } from '../../service/loading.ts';
import { report } from '../../shell/toasts.tsx';
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
  return (
    <ListScreen
      texts={t}
      icon="users"
      list={list}
      columns={columns()}
      actions={actionsOf}
      search={t.search}
      filters={[
        { name: 'role', label: t.role, options: [['', t.allRoles], ...roleOptions()] },
        { name: 'tier', label: t.tier, options: [['', t.allTiers], ...tierOptions()] },
        {
          name: 'status',
          label: common.value.state,
          options: [
            ['', common.value.allStates],
            ...states.map((name) => [name, t[name]] as const),
          ],
        },
      ]}
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
    { label: t.showVaults, icon: 'vault', onSelect: () => show(<UserVaults user={user} />) },
    { label: t.usage, icon: 'gauge', onSelect: () => show(<UserUsage user={user} />) },
    { label: t.change, icon: 'pencil', onSelect: () => show(<ChangeUser user={user} />) },
    user.status === 'active'
      ? {
          label: t.suspend,
          icon: 'user-x',
          isDangerous: true,
          onSelect: () => show(<Suspend user={user} />),
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
}

function ChangeUser({ user }: UserProps) {
  const t = userTexts.value;
  const save = async ({ role, tier }: Record<string, string>) => {
    await administer(user, { role, tier } as AdministerUser);
    return t.changed(user.email);
  };
  return (
    <FormDialog title={t.changeTitle(user.email)} action={common.value.save} onSend={save}>
      <SelectField name="role" label={t.role} options={roleOptions()} chosen={user.role} />
      <SelectField name="tier" label={t.tier} options={tierOptions()} chosen={user.tier} />
      <p class="hint">{t.changeText}</p>
    </FormDialog>
  );
}

function Suspend({ user }: UserProps) {
  const t = userTexts.value;
  return (
    <Confirm
      title={t.suspendTitle(user.email)}
      action={t.suspend}
      onConfirm={async () => {
        await administer(user, { status: 'suspended' });
        return t.isSuspended(user.email);
      }}
    >
      <p>{t.suspendText}</p>
    </Confirm>
  );
}

/** The largest page of the contract. */
const pageSize = 100;

/** Names and sizes: administrators see no contents. */
function UserVaults({ user }: UserProps) {
  const t = userTexts.value;
  const loaded = useLoaded(`vaults of ${user.id}`, () =>
    send(client.vaults.list({ account: user.id, pageSize })),
  );
  return (
    <Dialog title={t.vaultsTitle(user.email)}>
      <Await loaded={loaded}>
        {({ data, pagination: { totalCount } }) => (
          <div class="stack">
            <p class="soft">{t.vaultsText}</p>
            <ul class="rows">
              {data.map(({ id, name, documentCount, totalSize }) => (
                <li key={id}>
                  <strong>{name}</strong>
                  <span class="soft">{t.holds(documentCount, formatSize(totalSize))}</span>
                </li>
              ))}
            </ul>
            {totalCount === 0 && <p>{t.noVaults}</p>}
            {totalCount > data.length && <p>{t.moreVaults(totalCount - data.length)}</p>}
          </div>
        )}
      </Await>
    </Dialog>
  );
}

function UserUsage({ user }: UserProps) {
  const loaded = useLoaded(`user ${user.id}`, () => send(client.users.get(user.id)));
  return (
    <Dialog title={userTexts.value.usageTitle(user.email)}>
      <Await loaded={loaded}>{({ usage }) => <Usage usage={usage} />}</Await>
    </Dialog>
  );
}
