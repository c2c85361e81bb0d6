import type { Page } from '@document-vault/sdk';
import { useId } from 'preact/hooks';
import { common } from '../messages/common.ts';
import { formatNumber } from '../messages/format.ts';
import type { Query } from '../service/query.ts';
import { IconButton } from './button.tsx';
import { Options, sameNames } from './options.tsx';

const pageSizes = sameNames(['20', '50', '100']);

interface PaginationProps {
  readonly pagination: Page<unknown>['pagination'];
  readonly query: Query;
}

/** Where the page is in the list, and the way to others. */
export function Pagination({ pagination, query }: PaginationProps) {
  const id = useId();
  const t = common.value;
  const { page, pageSize, totalCount } = pagination;
  const first = Math.min((page - 1) * pageSize + 1, totalCount);
  const last = Math.min(page * pageSize, totalCount);
  const goTo = (next: number) => query.change({ page: next > 1 ? String(next) : undefined });
  return (
    <div class="pagination">
      <span class="row tight">
        <label for={id}>{t.pageSize}</label>
        <select
          id={id}
          class="input small"
          value={String(pageSize)}
          onChange={({ currentTarget: { value } }) => query.change({ pageSize: value })}
        >
          <Options options={pageSizes} />
        </select>
      </span>
      <span class="pagination-range">
        {t.range(formatNumber(first), formatNumber(last), formatNumber(totalCount))}
      </span>
      <span class="row tight">
        <IconButton
          icon="chevron-left"
          label={t.previous}
          disabled={page <= 1}
          onClick={() => goTo(page - 1)}
        />
        <IconButton
          icon="chevron-right"
          label={t.next}
          disabled={last >= totalCount}
          onClick={() => goTo(page + 1)}
        />
      </span>
    </div>
  );
}
