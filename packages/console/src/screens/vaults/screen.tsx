import type { ListVaults, Vault } from '@document-vault/sdk';
import { useLocation } from 'preact-iso';
import { type Column, numberColumn, timeColumn } from '../../components/column.tsx';
import type { Show } from '../../components/dialog.tsx';
import { Lines } from '../../components/facts.tsx';
import { useList } from '../../components/list.ts';
import { ListScreen } from '../../components/list-screen.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { Badge } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { formatSize } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { provide } from '../../service/loading.ts';
import { report } from '../../shell/toasts.tsx';
import { DeleteVault, showVault, VaultForm } from './dialogs.tsx';
import { vaultTexts } from './messages.ts';

/** The list of vaults. */
export default function Vaults() {
  const t = vaultTexts.value;
  const { route } = useLocation();
  const list = useList('vaults', (filters: ListVaults) => client.vaults.list(filters), {
    filters: { search: String, isActive: (text) => text === 'true' },
    onPage: ({ data }) => {
      for (const vault of data) provide(`vault ${vault.id}`, vault);
    },
  });
  return (
    <ListScreen
      texts={t}
      icon="vault"
      list={list}
      columns={columns()}
      create={() => <VaultForm onCreated={({ id }) => route(pathTo(`vaults/${id}`))} />}
      actions={actionsOf}
      search={common.value.searchNames}
      filters={[
        {
          name: 'isActive',
          label: common.value.state,
          options: [
            ['', common.value.allStates],
            ['true', t.active],
            ['false', t.inactive],
          ],
        },
      ]}
    />
  );
}

function columns(): Column<Vault>[] {
  const t = vaultTexts.value;
  return [
    {
      id: 'name',
      label: common.value.name,
      sort: 'asc',
      cell: ({ id, name, description }) => (
        <Lines below={description}>
          <a href={pathTo(`vaults/${id}`)}>{name}</a>
        </Lines>
      ),
    },
    {
      id: 'category',
      label: t.category,
      cell: ({ category }) => (category ? <Badge>{category}</Badge> : <span class="soft">–</span>),
    },
    numberColumn('documentCount', t.documents, { sort: 'desc' }),
    numberColumn('totalSize', common.value.size, { format: formatSize, sort: 'desc' }),
    {
      id: 'isActive',
      label: common.value.state,
      cell: ({ isActive }) => (
        <Badge kind={isActive ? 'success' : 'neutral'}>{isActive ? t.active : t.inactive}</Badge>
      ),
    },
    timeColumn('createdAt', common.value.createdAt, { form: 'day', sort: 'desc' }),
  ];
}

function actionsOf(vault: Vault, show: Show): MenuItem[] {
  const t = vaultTexts.value;
  const { isActive } = vault;
  return [
    {
      label: common.value.change,
      icon: 'pencil',
      onSelect: () => show(<VaultForm vault={vault} />),
    },
    {
      label: isActive ? t.archive : t.restore,
      icon: isActive ? 'archive' : 'archive-restore',
      onSelect: () => setActive(vault, !isActive),
    },
    {
      label: common.value.delete,
      icon: 'trash-2',
      isDangerous: true,
      onSelect: () => show(<DeleteVault vault={vault} />),
    },
  ];
}

function setActive({ id, name }: Vault, isActive: boolean): void {
  void report(async () => {
    showVault(await send(client.vaults.update(id, { isActive })));
    const t = vaultTexts.value;
    return isActive ? t.restored(name) : t.archived(name);
  });
}
