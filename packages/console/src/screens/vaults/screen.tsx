import type { ListVaults, Vault } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/column.ts';
import type { MenuItem } from '../../components/menu.tsx';
import { Page } from '../../components/page.tsx';
import { Badge, Empty } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { common } from '../../messages/common.ts';
import { formatDate, formatNumber, formatSize, formatTime } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { provide, useLoaded } from '../../service/loading.ts';
import { listQuery, useQuery } from '../../service/query.ts';
import { useShortcut } from '../../shell/shortcuts.tsx';
import { announce, announceError } from '../../shell/toasts.tsx';
import { DeleteVault, showChanged, VaultForm } from './dialogs.tsx';
import { vaultTexts } from './messages.ts';

type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'change' | 'delete'; readonly vault: Vault };

/** The list of vaults. */
export default function Vaults() {
  const t = vaultTexts.value;
  const query = useQuery();
  const { route } = useLocation();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const create = () => setOpen({ kind: 'create' });
  const filters = filtersOf(query.values);
  const loaded = useLoaded(`vaults?${JSON.stringify(filters)}`, async () => {
    const page = await send(client.vaults.list(filters));
    for (const vault of page.data) provide(`vault ${vault.id}`, vault);
    return page;
  });
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
        nameOf={({ name }) => name}
        query={query}
        defaultSort={{ by: 'createdAt', order: 'desc' }}
        actions={(vault) => actionsOf(vault, setOpen)}
        search={t.search}
        filterNames={['isActive']}
        filters={
          <select
            class="input"
            aria-label={t.state}
            value={query.values.isActive ?? ''}
            onChange={({ currentTarget: { value } }) => query.change({ isActive: value })}
          >
            <option value="">{t.allStates}</option>
            <option value="true">{t.active}</option>
            <option value="false">{t.inactive}</option>
          </select>
        }
        exported={{ name: 'vaults', list: () => client.vaults.list(filters) }}
        empty={
          <Empty icon="vault" title={t.emptyTitle} action={createButton}>
            {t.empty}
          </Empty>
        }
      />
      {open?.kind === 'create' && (
        <VaultForm onClose={close} onCreated={({ id }) => route(pathTo(`vaults/${id}`))} />
      )}
      {open?.kind === 'change' && <VaultForm vault={open.vault} onClose={close} />}
      {open?.kind === 'delete' && <DeleteVault vault={open.vault} onClose={close} />}
    </Page>
  );
}

function filtersOf(values: Readonly<Record<string, string>>): ListVaults {
  const { isActive } = values;
  return {
    ...listQuery(values),
    ...(values.search && { search: values.search }),
    ...(isActive && { isActive: isActive === 'true' }),
  } as ListVaults;
}

function columns(): Column<Vault>[] {
  const t = vaultTexts.value;
  return [
    {
      id: 'name',
      label: t.name,
      sort: { by: 'name', first: 'asc' },
      cell: ({ id, name, description }) => (
        <span class="cell-lines">
          <a href={pathTo(`vaults/${id}`)}>{name}</a>
          {description && <span class="soft truncate">{description}</span>}
        </span>
      ),
      exported: ({ name }) => name,
    },
    {
      id: 'category',
      label: t.category,
      cell: ({ category }) => (category ? <Badge>{category}</Badge> : <span class="soft">–</span>),
      exported: ({ category }) => category,
    },
    {
      id: 'documentCount',
      label: t.documents,
      isNumber: true,
      sort: { by: 'documentCount', first: 'desc' },
      cell: ({ documentCount }) => formatNumber(documentCount),
      exported: ({ documentCount }) => documentCount,
    },
    {
      id: 'totalSize',
      label: t.size,
      isNumber: true,
      sort: { by: 'totalSize', first: 'desc' },
      cell: ({ totalSize }) => formatSize(totalSize),
      exported: ({ totalSize }) => totalSize,
    },
    {
      id: 'isActive',
      label: t.state,
      cell: ({ isActive }) => (
        <Badge kind={isActive ? 'success' : 'neutral'}>{isActive ? t.active : t.inactive}</Badge>
      ),
      exported: ({ isActive }) => isActive,
    },
    {
      id: 'createdAt',
      label: t.createdAt,
      sort: { by: 'createdAt', first: 'desc' },
      cell: ({ createdAt }) => (
        <time dateTime={createdAt} title={formatTime(createdAt)}>
          {formatDate(createdAt)}
        </time>
      ),
      exported: ({ createdAt }) => createdAt,
    },
  ];
}

function actionsOf(vault: Vault, open: (dialog: Open) => void): MenuItem[] {
  const t = vaultTexts.value;
  const { isActive } = vault;
  return [
    { label: t.change, icon: 'pencil', onSelect: () => open({ kind: 'change', vault }) },
    {
      label: isActive ? t.archive : t.restore,
      icon: isActive ? 'archive' : 'archive-restore',
      onSelect: () => void setActive(vault, !isActive),
    },
    {
      label: common.value.delete,
      icon: 'trash-2',
      isDangerous: true,
      onSelect: () => open({ kind: 'delete', vault }),
    },
  ];
}

async function setActive({ id, name }: Vault, isActive: boolean): Promise<void> {
  const t = vaultTexts.value;
  try {
    showChanged(await send(client.vaults.update(id, { isActive })));
    announce(isActive ? t.restored(name) : t.archived(name));
  } catch (error) {
    announceError(error);
  }
}
