import type { Document } from '@document-vault/sdk';
import { type Column, numberColumn, timeColumn } from '../../components/column.tsx';
import { Icon } from '../../components/icon.tsx';
import { common } from '../../messages/common.ts';
import { isOtherKey } from '../../messages/errors.ts';
import { formatSize } from '../../messages/format.ts';
import { accountKeys } from '../../service/keys.ts';
import { documentTexts } from './messages.ts';
import { nameOf } from './names.ts';
import { kindOf } from './types.ts';

/** The columns of a vault's documents. */
export function documentColumns(open: (document: Document) => void): Column<Document>[] {
  const t = documentTexts.value;
  return [
    {
      id: 'fileName',
      label: common.value.name,
      sort: 'asc',
      cell: (document) => <NameCell document={document} onOpen={() => open(document)} />,
      exported: (document) => nameOf(document)?.text ?? null,
    },
    {
      id: 'mimeType',
      label: t.type,
      cell: ({ mimeType }) => (
        <span class="soft truncate" title={mimeType}>
          {kindOf(mimeType).label}
        </span>
      ),
    },
    numberColumn('sizeBytes', common.value.size, { format: formatSize, sort: 'desc' }),
    timeColumn('updatedAt', t.changedAt, { form: 'day', sort: 'desc' }),
  ];
}

function NameCell({ document, onOpen }: { document: Document; onOpen: () => void }) {
  const t = documentTexts.value;
  const name = nameOf(document);
  if (name && name.text === undefined) {
    return <NoName>{isOtherKey(name.error) ? t.otherKey : t.damagedName}</NoName>;
  }
  if (!accountKeys.value) return <NoName>{t.lockedName}</NoName>;
  return (
    <span class="document-name">
      <Icon name={kindOf(document.mimeType).icon} />
      {name ? (
        <button type="button" class="document-open" title={name.text} onClick={onOpen}>
          {name.text}
        </button>
      ) : (
        <span class="name-placeholder" role="img" aria-label={t.decrypting} />
      )}
    </span>
  );
}

function NoName({ children }: { readonly children: string }) {
  return (
    <span class="document-name soft">
      <Icon name="file-lock" />
      <span>{children}</span>
    </span>
  );
}
