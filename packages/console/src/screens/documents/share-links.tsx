/** The links of a document, and who has opened them. */
import type { Document, Page, ShareAccess, Share as ShareLink } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { type Exported, ExportMenu } from '../../components/export.tsx';
import { Await, Badge, Failed, Note } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { explain } from '../../messages/errors.ts';
import { formatDistance, formatNumber, formatTime } from '../../messages/format.ts';
import { client, send } from '../../service/client.ts';
import { outdate, useLoaded } from '../../service/loading.ts';
import { announce } from '../../shell/toasts.tsx';
import { shareTexts } from './share-messages.ts';

export function Links({ document }: { readonly document: Document }) {
  const t = shareTexts.value;
  const list = () => client.shares.list(document.id, { pageSize: 100 });
  const loaded = useLoaded(`shares ${document.id}`, () => send(list()));
  return (
    <Await loaded={loaded}>
      {(page) =>
        page.data.length === 0 ? (
          <p class="soft">{t.noLinks}</p>
        ) : (
          <div class="stack">
            <ListHead page={page} name="links" list={list} ids={linkColumns} />
            <ul class="shares">
              {page.data.map((share) => (
                <Link key={share.id} share={share} />
              ))}
            </ul>
          </div>
        )
      }
    </Await>
  );
}

/** The exported values of a link. The service stores neither token nor key. */
const linkColumns = [
  'id',
  'access',
  'isActive',
  'accessCount',
  'maxAccessCount',
  'expiresAt',
  'createdAt',
] as const satisfies readonly (keyof ShareLink)[];

const accessColumns = [
  'accessedAt',
  'ipAddress',
  'userAgent',
] as const satisfies readonly (keyof ShareAccess)[];

interface ListHeadProps<T> {
  readonly page: Page<T>;
  readonly name: string;
  readonly list: () => Exported<T>;
  /** The properties of an exported row. */
  readonly ids: readonly string[];
}

/** How many of a list are shown, and the export of all. */
function ListHead<T>({ page: { data, pagination }, name, list, ids }: ListHeadProps<T>) {
  return (
    <div class="list-head soft">
      <span>
        {shareTexts.value.shown(formatNumber(data.length), formatNumber(pagination.totalCount))}
      </span>
      <ExportMenu name={name} list={list} columns={ids.map((id) => ({ id }))} />
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
            {common.value.revoke}
          </Button>
        )}
      </div>
      {error !== undefined && <Note kind="error">{explain(error)}</Note>}
      {isOpen && <Accesses share={share} />}
    </li>
  );
}

function Accesses({ share: { id, documentId } }: { readonly share: ShareLink }) {
  const list = () => client.shares.accesses(documentId, id, { pageSize: 100 });
  const { data, error, reload } = useLoaded(`accesses ${id}`, () => send(list()));
  if (error !== undefined && !data) return <Failed error={error} onRetry={reload} />;
  if (!data) return <p class="soft">{common.value.loading}</p>;
  return (
    <div class="accesses">
      <ListHead page={data} name="accesses" list={list} ids={accessColumns} />
      <ul>
        {data.data.map(({ accessCount, accessedAt, ipAddress, userAgent }) => (
          <li key={accessCount}>
            <time dateTime={accessedAt}>{formatTime(accessedAt)}</time>
            <code>{ipAddress}</code>
            <span class="soft truncate" title={userAgent ?? ''}>
              {userAgent ?? common.value.unknownProgram}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
