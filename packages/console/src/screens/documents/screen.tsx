import type { Document, Vault } from '@document-vault/sdk';
import type { ComponentChildren, ComponentProps, FunctionComponent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Button } from '../../components/button.tsx';
import { Dialog, type Show, useDialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { lazy, NotLoaded } from '../../components/lazy.tsx';
import { Menu, type MenuItem } from '../../components/menu.tsx';
import type { Option } from '../../components/options.tsx';
import { Page } from '../../components/page.tsx';
import { useSelection } from '../../components/selection.ts';
import { Empty, Failed, Note } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { common } from '../../messages/common.ts';
import { formatNumber } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { accountKeys } from '../../service/keys.ts';
import { useLoaded } from '../../service/loading.ts';
import { type Query, useQuery } from '../../service/query.ts';
import { UnlockCard } from '../../session/unlock-card.tsx';
import { shellTexts } from '../../shell/messages.ts';
import { buildIndex, defaultSort, indexOf } from './cache.ts';
import { documentColumns } from './columns.tsx';
import { Delete, type DocumentProps, Move, Rename, type SeveralProps } from './dialogs.tsx';
import { DropZone } from './drop-zone.tsx';
import { namedPages, useDocuments } from './list.ts';
import { documentTexts } from './messages.ts';
import { shownName } from './names.ts';
import { TransferList } from './transfer-list.tsx';
import { download, restoreUploads, uploadFiles } from './transfers.ts';
import { kindOf, usualTypes } from './types.ts';

/** Loaded when they are opened: the list needs neither previews nor QR codes. */
const Preview = lazy(() => import('./preview.tsx'), DialogNotLoaded);
const Share = lazy(() => import('./share.tsx'), DialogNotLoaded);

type DialogNotLoadedProps = ComponentProps<typeof NotLoaded> & DocumentProps;

function DialogNotLoaded({ document, ...props }: DialogNotLoadedProps) {
  return (
    <Dialog title={shownName(document)}>
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
  const isUnlocked = Boolean(accountKeys.value);
  const canUpload = isUnlocked && vault?.isActive;
  const upload = (files: readonly File[]) => uploadFiles(files, { vaultId, hidesName });
  const button = canUpload && (
    <UploadButton hidesName={hidesName} onNames={setHidesName} onFiles={upload} />
  );
  return (
    <Page
      title={vault?.name ?? shellTexts.value.documents}
      description={vault?.description}
      above={<a href={pathTo('vaults')}>{shellTexts.value.vaults}</a>}
      actions={button}
    >
      {error !== undefined && !vault ? (
        <div class="card">
          <Failed error={error} onRetry={reload} />
        </div>
      ) : (
        <>
          {vault && !vault.isActive && <Note kind="info">{t.archived}</Note>}
          <UnlockCard />
          <DropZone onFiles={canUpload ? upload : undefined}>
            {isUnlocked && <TransferList />}
            <DocumentTable
              // A lock closes dialogs, and removes the search and everything else that was decrypted.
              key={`${vaultId} ${isUnlocked}`}
              {...{ vaultId, vault, isUnlocked }}
              uploadButton={button}
            />
          </DropZone>
        </>
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
  /** A locked console lists documents without names, and deletes them. */
  readonly isUnlocked: boolean;
  readonly uploadButton: ComponentChildren;
}

function DocumentTable({ vaultId, vault, isUnlocked, uploadButton }: DocumentTableProps) {
  const t = documentTexts.value;
  const { query, search } = useLocalSearch();
  const { values } = query;
  const selection = useSelection();
  const { dialog, show } = useDialog();
  const open = opening(show, { vaultId, onDone: selection.clear });
  const loaded = useDocuments(vaultId, values, search);
  const rows = loaded.data?.data ?? [];
  // Actions apply to what the page shows.
  useEffect(selection.clear, [JSON.stringify(values)]);
  const selected = rows.filter(({ id }) => selection.ids.has(id));
  useEffect(() => {
    if (isUnlocked) void restoreUploads();
  }, [isUnlocked]);
  const isEmpty = loaded.data?.pagination.totalCount === 0;
  if (!isUnlocked && (isEmpty || loaded.data === undefined)) return null;
  return (
    <>
      <Table
        label={shellTexts.value.documents}
        columns={documentColumns(open.preview)}
        list={{
          name: 'documents',
          query,
          loaded,
          all: () => ({ pages: () => namedPages(vaultId, values) }),
          filterNames: ['search', 'mimeType'],
        }}
        nameOf={shownName}
        defaultSort={defaultSort}
        actions={(document) => actionsOf(document, open, isUnlocked)}
        selection={selection}
        selectionActions={
          <>
            {isUnlocked && (
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
                <Button icon="folder-input" onClick={() => open.move(selected)}>
                  {t.moveAction}
                </Button>
              </>
            )}
            <Button icon="trash-2" onClick={() => open.delete(selected)}>
              {common.value.delete}
            </Button>
          </>
        }
        {...(isUnlocked && { search: common.value.searchNames })}
        filters={[{ name: 'mimeType', label: t.type, options: typeOptions(rows, values.mimeType) }]}
        notice={<IndexProgress vaultId={vaultId} />}
        empty={
          <Empty icon="file-lock" title={t.emptyTitle} action={uploadButton}>
            {vault?.isActive === false ? t.nothingArchived : t.empty}
          </Empty>
        }
      />
      {dialog}
    </>
  );
}

type Opening = ReturnType<typeof opening>;

/** Opens the dialogs of documents. */
function opening(show: Show, several: Pick<SeveralProps, 'vaultId' | 'onDone'>) {
  const one = (Shown: FunctionComponent<DocumentProps>) => (document: Document) =>
    show(<Shown document={document} />);
  const some = (Shown: FunctionComponent<SeveralProps>) => (documents: readonly Document[]) =>
    show(<Shown documents={documents} {...several} />);
  return {
    preview: one(Preview),
    share: one(Share),
    rename: one(Rename),
    move: some(Move),
    delete: some(Delete),
  };
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

/** All types, the usual ones, those of the page, and the chosen one. */
function typeOptions(rows: readonly Document[], chosen = ''): Option[] {
  const present = rows.map(({ mimeType }) => mimeType);
  const types = [...new Set([...usualTypes, ...present, chosen])].filter(Boolean);
  const named = types.map((type): Option => {
    const { label } = kindOf(type);
    return [type, label === '–' ? type : label];
  });
  return [['', common.value.allTypes], ...named];
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

function actionsOf(document: Document, open: Opening, isUnlocked: boolean): MenuItem[] {
  const t = documentTexts.value;
  const deletion: MenuItem = {
    label: common.value.delete,
    icon: 'trash-2',
    isDangerous: true,
    onSelect: () => open.delete([document]),
  };
  if (!isUnlocked) return [deletion];
  return [
    { label: t.open, icon: 'eye', onSelect: () => open.preview(document) },
    {
      label: t.download,
      icon: 'download',
      onSelect: () => download(document, shownName(document)),
    },
    { label: t.share, icon: 'share-2', onSelect: () => open.share(document) },
    { label: t.rename, icon: 'pencil', onSelect: () => open.rename(document) },
    { label: t.move, icon: 'folder-input', onSelect: () => open.move([document]) },
    deletion,
  ];
}
