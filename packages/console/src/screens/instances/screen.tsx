import type { Instance, InstanceStatistics } from '@document-vault/sdk';
import type { Column } from '../../components/column.tsx';
import { Figures, Lines, Used } from '../../components/facts.tsx';
import { useList } from '../../components/list.ts';
import { ListScreen } from '../../components/list-screen.tsx';
import { Badge, Failed } from '../../components/states.tsx';
import { formatNumber, formatSize } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, isAdministrator, send } from '../../service/client.ts';
import { useLoaded } from '../../service/loading.ts';
import { instanceTexts } from './messages.ts';

/** The instances that the user sees, with the figures of all of them. */
export default function Instances() {
  const list = useList('instances', client.instances.list);
  const { data, error, reload } = useLoaded('statistics', () =>
    send(client.instances.statistics(isAdministrator.value ? { account: 'all' } : {})),
  );
  return (
    <ListScreen texts={instanceTexts.value} icon="server" list={list} columns={columns()}>
      {data && <Figures facts={figures(data)} />}
      {error !== undefined && <Failed error={error} onRetry={reload} />}
    </ListScreen>
  );
}

function figures(statistics: InstanceStatistics) {
  const t = instanceTexts.value;
  const { vaults, documents, usedBytes, activeShares, webhooks, deliveries } = statistics;
  return [
    { label: t.vaults, value: formatNumber(vaults) },
    { label: t.documents, value: formatNumber(documents) },
    { label: t.stored, value: formatSize(usedBytes) },
    { label: t.shares, value: formatNumber(activeShares) },
    { label: t.webhooks, value: formatNumber(webhooks) },
    { label: t.deliveries, value: formatNumber(deliveries.failed) },
  ];
}

export function InstanceHealthBadge({ status }: Pick<Instance, 'status'>) {
  const t = instanceTexts.value;
  return <Badge kind={status === 'healthy' ? 'success' : 'error'}>{t[status]}</Badge>;
}

/** The used part of a quota, as a bar with its figures. */
export function Quota({ usedBytes, quotaBytes }: Pick<Instance, 'usedBytes' | 'quotaBytes'>) {
  const text = instanceTexts.value.usedOf(formatSize(usedBytes), formatSize(quotaBytes));
  return (
    <span class="health">
      <span class="number">{text}</span>
      <Used label={text} used={usedBytes} limit={quotaBytes} />
    </span>
  );
}

function columns(): Column<Instance>[] {
  const t = instanceTexts.value;
  return [
    {
      id: 'name',
      label: t.title,
      sort: 'asc',
      cell: ({ id, name, region }) => (
        <Lines below={region}>
          <a href={pathTo(`instances/${id}`)}>{name}</a>
        </Lines>
      ),
    },
    {
      id: 'status',
      label: t.health,
      cell: (instance) => <InstanceHealthBadge status={instance.status} />,
    },
    { id: 'usedBytes', label: t.storage, cell: (instance) => <Quota {...instance} /> },
    { id: 'version', label: t.version, cell: ({ version }) => <span class="mono">{version}</span> },
    { id: 'isActive', label: t.accounts, cell: ({ isActive }) => (isActive ? t.open : t.closed) },
  ];
}
