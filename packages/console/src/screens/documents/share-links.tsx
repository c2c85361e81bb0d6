/** The links of a document, and who has opened them. */
import type { Document, Page, ShareAccess, Share as ShareLink } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/column.ts';
import { type Exported, ExportMenu } from '../../components/export.tsx';
import { Badge, Failed, Loading, Note } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { explain } from '../../messages/errors.ts';
import { formatDistance, formatNumber, formatTime } from '../../messages/format.ts';
import { client, send } from '../../service/client.ts';
import { outdate, useLoaded } from '../../service/loading.ts';
import { announce } from '../../shell/toasts.tsx';
import { shareTexts } from './share-messages.ts';

export function Links({ document }: { readonly document: Document }) {
  const t = shareTexts.value;
  const { data, error, reload } = useLoaded(`shares ${document.id}`, () =>
    send(client.shares.list(document.id, { pageSize: 100 })),
  );
  if (error !== undefined && !data) return <Failed error={error} onRetry={reload} />;
  if (!data) return <Loading />;
  if (data.data.length === 0) return <p class="soft">{t.noLinks}</p>;
  return (
    <div class="stack">
      <ListHead
        page={data}
        name="links"
        list={() => client.shares.list(document.id, { pageSize: 100 })}
        columns={linkColumns}
      />
      <ul class="shares">
        {data.data.map((share) => (
          <Link key={share.id} share={share} />
        ))}
      </ul>
    </div>
  );
}

/** The exported values of a link. The service stores neither token nor key. */
const linkColumns: readonly ExportColumn<ShareLink>[] = [
  { id: 'id', exported: ({ id }) => id },
  { id: 'access', exported: ({ access }) => access },
  { id: 'isActive', exported: ({ isActive }) => isActive },
  { id: 'accessCount', exported: ({ accessCount }) => accessCount },
  { id: 'maxAccessCount', exported: ({ maxAccessCount }) => maxAccessCount },
  { id: 'expiresAt', exported: ({ expiresAt }) => expiresAt },
  { id: 'createdAt', exported: ({ createdAt }) => createdAt },
];

const accessColumns: readonly ExportColumn<ShareAccess>[] = [
  { id: 'accessedAt', exported: ({ accessedAt }) => accessedAt },
  { id: 'ipAddress', exported: ({ ipAddress }) => ipAddress },
  { id: 'userAgent', exported: ({ userAgent }) => userAgent },
];

type ExportColumn<T> = Pick<Column<T>, 'id' | 'exported'>;

interface ListHeadProps<T> {
  readonly page: Page<T>;
  readonly name: string;
  readonly list: () => Exported<T>;
  readonly columns: readonly ExportColumn<T>[];
}

/** How many of a list are shown, and the export of all. */
function ListHead<T>({ page, ...exported }: ListHeadProps<T>) {
  const { data, pagination } = page;
  return (
    <div class="list-head soft">
      <span>
        {shareTexts.value.shown(formatNumber(data.length), formatNumber(pagination.totalCount))}
      </span>
      <ExportMenu {...exported} />
    </div>
  );
}

function Link({ share }: { readonly share: ShareLink }) {
  const t = shareTexts.value;
  const { id, documentId, access, accessCount, maxAccessCount, expiresAt, isActive } = share;
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const revoke = async () => {
    setBusy(true);
    try {
      await send(client.shares.delete(documentId, id));
      outdate(`shares ${documentId}`);
      announce(t.revoked);
    } catch (cause) {
      setError(cause);
    }
    setBusy(false);
  };
  const opened =
    maxAccessCount === null ? t.opened(accessCount) : t.openedOf(accessCount, maxAccessCount);
  return (
    <li class="share">
      <div class="share-text">
        <span class="row">
          <strong>{access === 'anyone' ? t.anyone : t.authenticated}</strong>
          <Badge kind={isActive ? 'success' : 'neutral'}>{isActive ? t.active : t.ended}</Badge>
        </span>
        <span class="soft">
          {opened} ·{' '}
          {isActive ? (
            <time title={formatTime(expiresAt)}>{t.until(formatDistance(expiresAt))}</time>
          ) : (
            t.over
          )}
        </span>
      </div>
      <div class="row">
        <Button
          icon="history"
          aria-expanded={isOpen}
          disabled={accessCount === 0}
          onClick={() => setOpen(!isOpen)}
        >
          {t.log}
        </Button>
        {isActive && (
          <Button icon="circle-x" isBusy={isBusy} onClick={() => void revoke()}>
            {t.revoke}
          </Button>
        )}
      </div>
      {error !== undefined && <Note kind="error">{explain(error)}</Note>}
      {isOpen && <Accesses share={share} />}
    </li>
  );
}

function Accesses({ share: { id, documentId } }: { readonly share: ShareLink }) {
  const t = shareTexts.value;
  const { data, error, reload } = useLoaded(`accesses ${id}`, () =>
    send(client.shares.accesses(documentId, id, { pageSize: 100 })),
  );
  if (error !== undefined && !data) return <Failed error={error} onRetry={reload} />;
  if (!data) return <p class="soft">{common.value.loading}</p>;
  return (
    <div class="accesses">
      <ListHead
        page={data}
        name="accesses"
        list={() => client.shares.accesses(documentId, id, { pageSize: 100 })}
        columns={accessColumns}
      />
      <ul>
        {data.data.map(({ accessCount, accessedAt, ipAddress, userAgent }) => (
          <li key={accessCount}>
            <time dateTime={accessedAt}>{formatTime(accessedAt)}</time>
            <code>{ipAddress}</code>
            <span class="soft truncate" title={userAgent ?? ''}>
              {userAgent ?? t.noAgent}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
