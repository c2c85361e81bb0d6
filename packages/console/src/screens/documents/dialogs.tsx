import { type Document, NotFoundError, UsageError } from '@document-vault/sdk';
import { Button } from '../../components/button.tsx';
import { Actions, Confirm, Dialog } from '../../components/dialog.tsx';
import { FormError, SelectField, TextField, useForm } from '../../components/form.tsx';
import { Failed, Loading, Note } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { cipher } from '../../service/keys.ts';
import { useLoaded } from '../../service/loading.ts';
import { announce } from '../../shell/toasts.tsx';
import { outdateDocuments, removeDocuments, showFirst } from './cache.ts';
import { documentTexts } from './messages.ts';
import { decryptNames, nameOf, shownName } from './names.ts';

interface RenameProps {
  readonly document: Document;
  readonly onClose: () => void;
}

export function Rename({ document, onClose }: RenameProps) {
  const t = documentTexts.value;
  const form = useForm(async ({ fileName = '' }) => {
    const used = cipher.peek();
    if (!used) return;
    // Encrypted also when the old name was not: a download returns no other new names.
    const stored = await used.encryptFileName(document, fileName);
    const renamed = await send(client.documents.update(document.id, { fileName: stored }));
    await decryptNames([renamed]);
    showFirst(renamed, false);
    announce(t.renamed(fileName));
    onClose();
  });
  return (
    <Dialog title={t.renameTitle(shownName(document))} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        <TextField
          name="fileName"
          label={t.name}
          form={form}
          hint={t.renameHint}
          defaultValue={nameOf(document)?.text ?? ''}
          required
          autofocus
          autocomplete="off"
          spellcheck={false}
        />
        {form.error instanceof UsageError ? (
          <Note kind="error">{t.badName}</Note>
        ) : (
          <FormError form={form} />
        )}
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {t.rename}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

interface SeveralProps {
  readonly vaultId: string;
  readonly documents: readonly Document[];
  /** Called after the last document. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function Move({ vaultId, documents, onDone, onClose }: SeveralProps) {
  const t = documentTexts.value;
  const filters = { isActive: true, pageSize: 100, sortBy: 'name' } as const;
  const { data, error, reload } = useLoaded(`vaults?${JSON.stringify(filters)}`, () =>
    send(client.vaults.list(filters)),
  );
  const targets = data?.data.filter(({ id }) => id !== vaultId) ?? [];
  const form = useForm(async ({ target = '' }) => {
    const moved: string[] = [];
    try {
      for (const { id } of documents) {
        await send(client.documents.update(id, { vaultId: target }));
        moved.push(id);
      }
    } finally {
      // Some were moved before a failure.
      removeDocuments(vaultId, moved);
      outdateDocuments(target);
    }
    announce(t.moved(documents.length));
    onDone();
    onClose();
  });
  const [first] = documents;
  return (
    <Dialog title={t.moveTitle(documents.length, first ? shownName(first) : '')} onClose={onClose}>
      {error !== undefined && <Failed error={error} onRetry={reload} />}
      {!data && error === undefined && <Loading />}
      {data && targets.length === 0 && <Note kind="info">{t.noTarget}</Note>}
      {targets.length > 0 && (
        <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
          <SelectField name="target" label={t.target} form={form} autofocus>
            {targets.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <FormError form={form} />
          <Actions>
            <Button onClick={onClose}>{common.value.cancel}</Button>
            <Button type="submit" kind="primary" isBusy={form.isBusy}>
              {t.moveAction}
            </Button>
          </Actions>
        </form>
      )}
    </Dialog>
  );
}

/** A document was deleted before: by an attempt that failed half-way, or elsewhere. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}

export function Delete({ vaultId, documents, onDone, onClose }: SeveralProps) {
  const t = documentTexts.value;
  const [first] = documents;
  return (
    <Confirm
      title={t.deleteTitle(documents.length, first ? shownName(first) : '')}
      action={common.value.delete}
      onClose={onClose}
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
        announce(t.deleted(documents.length));
        onDone();
      }}
    >
      <p>{t.deleteText(documents.length)}</p>
    </Confirm>
  );
}
