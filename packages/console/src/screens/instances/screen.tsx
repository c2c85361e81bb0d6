import type { Instance, InstanceStatistics, ListInstances } from '@document-vault/sdk';
import type { Column } from '../../components/column.ts';
import { Figures } from '../../components/facts.tsx';
import { Page } from '../../components/page.tsx';
import { Badge, Failed } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { formatNumber, formatSize } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, isAdministrator, send } from '../../service/client.ts';
import { useLoaded } from '../../service/loading.ts';
import { listQuery, useQuery } from '../../service/query.ts';
import { instanceTexts } from './messages.ts';

/** The instances that the user sees, with the figures of all of them. */
export default function Instances() {
  const t = instanceTexts.value;
  const query = useQuery();
  const filters = listQuery(query.values) as ListInstances;
  const loaded = useLoaded(`instances?${JSON.stringify(filters)}`, () =>
    send(client.instances.list(filters)),
  );
  const statistics = useLoaded('statistics', () =>
    send(client.instances.statistics(isAdministrator.value ? { account: 'all' } : {})),
  );
  return (
    <Page title={t.title} description={t.description}>
      {statistics.data && <Figures facts={figures(statistics.data)} />}
      {statistics.error !== undefined && (
        <Failed error={statistics.error} onRetry={statistics.reload} />
      )}
      <Table
        label={t.title}
        columns={columns()}
        loaded={loaded}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        query={query}
        defaultSort={{ by: 'createdAt', order: 'desc' }}
        exported={{ name: 'instances', list: () => client.instances.list(filters) }}
        empty={null}
      />
    </Page>
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
      <meter
        aria-label={text}
        min={0}
        max={quotaBytes}
        high={quotaBytes * 0.8}
        optimum={0}
        value={usedBytes}
      />
    </span>
  );
}

function columns(): Column<Instance>[] {
  const t = instanceTexts.value;
  return [
    {
      id: 'name',
      label: t.title,
      sort: { by: 'name', first: 'asc' },
      cell: ({ id, name, region }) => (
        <span class="cell-lines">
          <a href={pathTo(`instances/${id}`)}>{name}</a>
          <span class="soft truncate">{region}</span>
        </span>
      ),
      exported: ({ name }) => name,
    },
    {
      id: 'status',
      label: t.health,
      cell: (instance) => <InstanceHealthBadge status={instance.status} />,
      exported: ({ status }) => status,
    },
    {
      id: 'usedBytes',
      label: t.storage,
      cell: (instance) => <Quota {...instance} />,
      exported: ({ usedBytes }) => usedBytes,
    },
    {
      id: 'version',
      label: t.version,
      cell: ({ version }) => <span class="mono">{version}</span>,
      exported: ({ version }) => version,
    },
    {
      id: 'isActive',
      label: t.accounts,
      cell: ({ isActive }) => (isActive ? t.open : t.closed),
      exported: ({ isActive }) => isActive,
    },
  ];
}
