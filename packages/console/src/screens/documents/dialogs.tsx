import { type Document, NotFoundError, UsageError } from '@document-vault/sdk';
import { Confirm, Dialog, FormDialog, useClose } from '../../components/dialog.tsx';
import { FormEnd, FormView, SelectField, TextField, useForm } from '../../components/form.tsx';
import { Await, Note } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { explain } from '../../messages/errors.ts';
import { client, send } from '../../service/client.ts';
import { useLoaded } from '../../service/loading.ts';
import { announce } from '../../shell/toasts.tsx';
import { outdateDocuments, removeDocuments, showFirst } from './cache.ts';
import { documentTexts } from './messages.ts';
import { decryptNames, nameOf, shownName } from './names.ts';

/** A dialog of a document. */
export interface DocumentProps {
  readonly document: Document;
}

export function Rename({ document }: DocumentProps) {
  const t = documentTexts.value;
  const rename = async ({ fileName = '' }: Record<string, string>) => {
    // Encrypted also when the old name was not: a download returns no other new names.
    const renamed = await send(client.documents.rename(document, fileName));
    await decryptNames([renamed]);
    showFirst(renamed, false);
    return t.renamed;
  };
  return (
    <FormDialog
      title={t.renameTitle(shownName(document))}
      action={t.rename}
      explained={(error) => (error instanceof UsageError ? t.badName : explain(error))}
      onSend={rename}
    >
      <TextField
        name="fileName"
        label={common.value.name}
        hint={t.renameHint}
        defaultValue={nameOf(document)?.text ?? ''}
        required
        autofocus
        autocomplete="off"
        spellcheck={false}
      />
    </FormDialog>
  );
}

/** A dialog of several documents. */
export interface SeveralProps {
  readonly vaultId: string;
  readonly documents: readonly Document[];
  /** Called after the last document. */
  readonly onDone: () => void;
}

const targetFilters = { isActive: true, pageSize: 100, sortBy: 'name' } as const;

export function Move({ vaultId, documents, onDone }: SeveralProps) {
  const t = documentTexts.value;
  const close = useClose();
  const loaded = useLoaded(`vaults?${JSON.stringify(targetFilters)}`, () =>
    send(client.vaults.list(targetFilters)),
  );
  const form = useForm(async ({ target = '' }) => {
    const moved: string[] = [];
    try {
      for (const document of documents) {
        await send(client.documents.move(document, target));
        moved.push(document.id);
      }
    } finally {
      // Some were moved before a failure.
      removeDocuments(vaultId, moved);
      outdateDocuments(target);
    }
    announce(t.moved(documents.length));
    onDone();
    close();
  });
  const [first] = documents;
  return (
    <Dialog title={t.moveTitle(documents.length, first ? shownName(first) : '')}>
      <Await loaded={loaded}>
        {({ data }) => {
          const targets = data.filter(({ id }) => id !== vaultId);
          if (targets.length === 0) return <Note kind="info">{t.noTarget}</Note>;
          return (
            <FormView form={form}>
              <SelectField
                name="target"
                label={t.target}
                autofocus
                options={targets.map(({ id, name }) => [id, name])}
              />
              <FormEnd action={t.moveAction} onCancel={close} />
            </FormView>
          );
        }}
      </Await>
    </Dialog>
  );
}

/** A document was deleted before: by an attempt that failed half-way, or elsewhere. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}

export function Delete({ vaultId, documents, onDone }: SeveralProps) {
  const t = documentTexts.value;
  const [first] = documents;
  return (
    <Confirm
      title={t.deleteTitle(documents.length, first ? shownName(first) : '')}
      action={common.value.delete}
      onConfirm={async () => {
        const deleted: string[] = [];
        try {
          for (const { id } of documents) {
            await send(client.documents.delete(id)).catch(ignoreMissing);
            deleted.push(id);
          }
        } finally {
          removeDocuments(vaultId, deleted);
        }
        onDone();
        return t.deleted(documents.length);
      }}
    >
      <p>{t.deleteText(documents.length)}</p>
    </Confirm>
  );
}
