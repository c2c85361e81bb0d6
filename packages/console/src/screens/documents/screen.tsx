import type { Document, Vault } from '@document-vault/sdk';
import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorBoundary, useRoute } from 'preact-iso';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { lazy, NotLoaded } from '../../components/lazy.tsx';
import { Menu, type MenuItem } from '../../components/menu.tsx';
import { Page } from '../../components/page.tsx';
import { useSelection } from '../../components/selection.ts';
import { Empty, Failed, Note } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { common } from '../../messages/common.ts';
import { formatNumber } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { cipher } from '../../service/keys.ts';
import { useLoaded } from '../../service/loading.ts';
import { type Query, useQuery } from '../../service/query.ts';
import { NeedsKey, Unlock } from '../../session/unlock.tsx';
import { buildIndex, defaultSort, indexOf } from './cache.ts';
import { documentColumns } from './columns.tsx';
import { Delete, Move, Rename } from './dialogs.tsx';
import { DropZone } from './drop-zone.tsx';
import { namedPages, useDocuments } from './list.ts';
import { documentTexts } from './messages.ts';
import { needsPassphrase, shownName } from './names.ts';
import { TransferList } from './transfer-list.tsx';
import { download, restoreUploads, uploadFiles } from './transfers.ts';
import { kindOf, usualTypes } from './types.ts';

/** Loaded when they are opened: the list needs neither previews nor QR codes. */
const Preview = lazy(
  async () => ({ default: (await import('./preview.tsx')).Preview }),
  DialogNotLoaded,
);
const Share = lazy(async () => ({ default: (await import('./share.tsx')).Share }), DialogNotLoaded);

type Open =
  | { readonly kind: 'preview' | 'rename' | 'share'; readonly document: Document }
  | { readonly kind: 'move' | 'delete'; readonly documents: readonly Document[] };

interface DialogNotLoadedProps extends ComponentProps<typeof NotLoaded> {
  readonly document: Document;
  readonly onClose: () => void;
}

function DialogNotLoaded({ document, onClose, ...props }: DialogNotLoadedProps) {
  return (
    <Dialog title={shownName(document)} onClose={onClose}>
      <NotLoaded {...props} />
    </Dialog>
  );
}

/** The documents of a vault. */
export default function Documents() {
  const t = documentTexts.value;
  const { vaultId = '' } = useRoute().params;
  const {
    data: vault,
    error,
    reload,
  } = useLoaded(`vault ${vaultId}`, () => send(client.vaults.get(vaultId)));
  const [hidesName, setHidesName] = useState(true);
  const canUpload = cipher.value && vault?.isActive;
  const upload = (files: readonly File[]) => uploadFiles(files, { vaultId, hidesName });
  const button = canUpload && (
    <UploadButton hidesName={hidesName} onNames={setHidesName} onFiles={upload} />
  );
  return (
    <Page
      title={vault?.name ?? t.title}
      description={vault?.description}
      above={<a href={pathTo('vaults')}>{t.vaults}</a>}
      actions={button}
    >
      {error !== undefined && !vault ? (
        <div class="card">
          <Failed error={error} onRetry={reload} />
        </div>
      ) : (
        <NeedsKey>
          {vault && !vault.isActive && <Note kind="info">{t.archived}</Note>}
          <DropZone onFiles={canUpload ? upload : undefined}>
            <TransferList />
            <DocumentTable key={vaultId} vaultId={vaultId} vault={vault} uploadButton={button} />
          </DropZone>
        </NeedsKey>
      )}
    </Page>
  );
}

interface UploadButtonProps {
  readonly hidesName: boolean;
  readonly onNames: (hidesName: boolean) => void;
  readonly onFiles: (files: readonly File[]) => void;
}

function UploadButton({ hidesName, onNames, onFiles }: UploadButtonProps) {
  const t = documentTexts.value;
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    onFiles([...(currentTarget.files ?? [])]);
    // The same file can be chosen again.
    currentTarget.value = '';
  };
  return (
    <>
      <Menu
        label={t.uploadMenu}
        isNamed
        buttonClass="button primary"
        items={[
          { label: t.chooseFiles, icon: 'file', onSelect: () => files.current?.click() },
          { label: t.chooseFolder, icon: 'folder-up', onSelect: () => folder.current?.click() },
          { label: t.encryptNames, isChosen: hidesName, onSelect: () => onNames(true) },
          { label: t.plainNames, isChosen: !hidesName, onSelect: () => onNames(false) },
        ]}
      >
        <Icon name="upload" />
        {t.upload}
        <Icon name="chevron-down" />
      </Menu>
      <input ref={files} type="file" multiple hidden onChange={take} />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        onChange={take}
        {...({ webkitdirectory: true } as object)}
      />
    </>
  );
}

interface DocumentTableProps {
  readonly vaultId: string;
  readonly vault: Vault | undefined;
  readonly uploadButton: ComponentChildren;
}

function DocumentTable({ vaultId, vault, uploadButton }: DocumentTableProps) {
  const t = documentTexts.value;
  const { query, search } = useLocalSearch();
  const { values } = query;
  const selection = useSelection();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const loaded = useDocuments(vaultId, values, search);
  const rows = loaded.data?.data ?? [];
  // Actions apply to what the page shows.
  useEffect(selection.clear, [JSON.stringify(values)]);
  const selected = rows.filter(({ id }) => selection.ids.has(id));
  useEffect(() => {
    if (cipher.value) void restoreUploads(cipher.value);
    // Another passphrase can open further uploads.
  }, [cipher.value]);
  return (
    <>
      <Table
        label={t.title}
        columns={documentColumns((document) => setOpen({ kind: 'preview', document }))}
        loaded={loaded}
        idOf={({ id }) => id}
        nameOf={shownName}
        query={query}
        defaultSort={defaultSort}
        actions={(document) => actionsOf(document, setOpen)}
        selection={selection}
        selectionActions={
          <>
            <Button
              icon="download"
              onClick={() => {
                for (const document of selected) download(document, shownName(document));
                selection.clear();
              }}
            >
              {t.download}
            </Button>
            <Button
              icon="folder-input"
              onClick={() => setOpen({ kind: 'move', documents: selected })}
            >
              {t.moveAction}
            </Button>
            <Button icon="trash-2" onClick={() => setOpen({ kind: 'delete', documents: selected })}>
              {common.value.delete}
            </Button>
          </>
        }
        search={t.search}
        filterNames={['mimeType']}
        filters={<TypeFilter query={query} rows={rows} />}
        notice={
          <>
            <IndexProgress vaultId={vaultId} />
            {rows.some(needsPassphrase) && <PassphraseAgain />}
          </>
        }
        exported={{ name: 'documents', list: () => ({ pages: () => namedPages(vaultId, values) }) }}
        empty={
          <Empty icon="file-lock" title={t.emptyTitle} action={uploadButton}>
            {vault?.isActive === false ? t.nothingArchived : t.empty}
          </Empty>
        }
      />
      {open?.kind === 'preview' && (
        <ErrorBoundary>
          <Preview document={open.document} onClose={close} />
        </ErrorBoundary>
      )}
      {open?.kind === 'rename' && <Rename document={open.document} onClose={close} />}
      {open?.kind === 'share' && (
        <ErrorBoundary>
          <Share document={open.document} onClose={close} />
        </ErrorBoundary>
      )}
      {open?.kind === 'move' && (
        <Move
          {...{ vaultId }}
          documents={open.documents}
          onDone={selection.clear}
          onClose={close}
        />
      )}
      {open?.kind === 'delete' && (
        <Delete
          {...{ vaultId }}
          documents={open.documents}
          onDone={selection.clear}
          onClose={close}
        />
      )}
    </>
  );
}

/** A search that never gets into the address: names are secret there too. */
function useLocalSearch(): { query: Query; search: string } {
  const { values, change } = useQuery();
  const [search, setSearch] = useState('');
  return {
    search,
    query: {
      values: { ...values, search },
      change(changes) {
        const { search: next, ...others } = changes;
        if ('search' in changes) setSearch(next ?? '');
        if (Object.keys(others).length > 0 || values.page) change(others);
      },
    },
  };
}

function TypeFilter({ query, rows }: { query: Query; rows: readonly Document[] }) {
  const t = documentTexts.value;
  const { mimeType = '' } = query.values;
  const present = rows.map((row) => row.mimeType);
  const types = [...new Set([...usualTypes, ...present, mimeType])].filter(Boolean);
  return (
    <select
      class="input"
      aria-label={t.type}
      value={mimeType}
      onChange={({ currentTarget: { value } }) => query.change({ mimeType: value })}
    >
      <option value="">{t.allTypes}</option>
      {types.map((type) => (
        <option key={type} value={type}>
          {kindOf(type).label === '–' ? type : kindOf(type).label}
        </option>
      ))}
    </select>
  );
}

/** How far the local index is: the rate limit can make it wait. */
function IndexProgress({ vaultId }: { readonly vaultId: string }) {
  const t = documentTexts.value;
  const index = indexOf(vaultId);
  if (!index || index.isComplete) return null;
  const { documents, total, error } = index;
  if (error !== undefined) {
    return (
      <div class="table-notice">
        <span class="problem">{t.readingFailed}</span>
        <Button icon="refresh-cw" onClick={() => void buildIndex(vaultId)}>
          {common.value.retry}
        </Button>
      </div>
    );
  }
  const read = t.reading(
    formatNumber(documents.length),
    total === undefined ? '…' : formatNumber(total),
  );
  return (
    <div class="table-notice" title={t.readingHint}>
      <span>{read}</span>
      <progress aria-label={read} max={total ?? 1} value={total ? documents.length : undefined} />
    </div>
  );
}

/** Documents of other programs can have other salts, for which a kept key is of no use. */
function PassphraseAgain() {
  const t = documentTexts.value;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div class="table-notice">
        <span>{t.passphraseAgain}</span>
        <Button icon="key-round" onClick={() => setOpen(true)}>
          {t.enterPassphrase}
        </Button>
      </div>
      {isOpen && (
        <Dialog title={t.enterPassphrase} onClose={() => setOpen(false)}>
          <Unlock />
        </Dialog>
      )}
    </>
  );
}

function actionsOf(document: Document, open: (dialog: Open) => void): MenuItem[] {
  const t = documentTexts.value;
  return [
    { label: t.open, icon: 'eye', onSelect: () => open({ kind: 'preview', document }) },
    {
      label: t.download,
      icon: 'download',
      onSelect: () => download(document, shownName(document)),
    },
    { label: t.share, icon: 'share-2', onSelect: () => open({ kind: 'share', document }) },
    { label: t.rename, icon: 'pencil', onSelect: () => open({ kind: 'rename', document }) },
    {
      label: t.move,
      icon: 'folder-input',
      onSelect: () => open({ kind: 'move', documents: [document] }),
    },
    {
      label: common.value.delete,
      icon: 'trash-2',
      isDangerous: true,
      onSelect: () => open({ kind: 'delete', documents: [document] }),
    },
  ];
}
