import type { Vault } from '@document-vault/sdk';
import { Button } from '../../components/button.tsx';
import { Actions, Confirm, Dialog } from '../../components/dialog.tsx';
import { FormError, TextArea, TextField, useForm } from '../../components/form.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { amend, outdate, provide, replaceRow } from '../../service/loading.ts';
import { announce } from '../../shell/toasts.tsx';
import { vaultTexts } from './messages.ts';

/** Replaces a changed vault in every list that shows it, without a request. */
export function showChanged(vault: Vault): void {
  replaceRow('vaults?', vault, 'id');
  amend<Vault>(`vault ${vault.id}`, () => vault);
}

interface VaultFormProps {
  /** Undefined for a new vault. */
  readonly vault?: Vault;
  readonly onCreated?: (vault: Vault) => void;
  readonly onClose: () => void;
}

/** Creates a vault, or changes one. */
export function VaultForm({ vault, onCreated, onClose }: VaultFormProps) {
  const t = vaultTexts.value;
  const form = useForm(async ({ name = '', description, category }) => {
    const fields = { name, description: description || null, category: category || null };
    if (vault) {
      showChanged(await send(client.vaults.update(vault.id, fields)));
      announce(t.changed(name));
    } else {
      const { description: text, category: kind } = fields;
      const created = await send(
        client.vaults.create({
          name,
          ...(text && { description: text }),
          ...(kind && { category: kind }),
        }),
      );
      outdate('vaults?');
      provide(`vault ${created.id}`, created);
      announce(t.created(name));
      onCreated?.(created);
    }
    onClose();
  });
  return (
    <Dialog title={vault ? t.changeTitle(vault.name) : t.createTitle} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        <TextField
          name="name"
          label={t.name}
          form={form}
          defaultValue={vault?.name ?? ''}
          maxlength={120}
          required
          autofocus
        />
        <TextArea
          name="description"
          label={t.text}
          form={form}
          isOptional
          defaultValue={vault?.description ?? ''}
          maxlength={2000}
        />
        <TextField
          name="category"
          label={t.category}
          form={form}
          isOptional
          hint={t.categoryHint}
          defaultValue={vault?.category ?? ''}
          maxlength={50}
          autocapitalize="off"
        />
        <FormError form={form} />
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {vault ? common.value.save : t.createAction}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

/** Deletes a vault after a question. A vault with documents needs its name typed. */
export function DeleteVault({ vault, onClose }: { vault: Vault; onClose: () => void }) {
  const t = vaultTexts.value;
  const { id, name, documentCount } = vault;
  return (
    <Confirm
      title={t.deleteTitle(name)}
      action={common.value.delete}
      {...(documentCount > 0 && { typed: name })}
      onClose={onClose}
      onConfirm={async () => {
        await send(client.vaults.delete(id));
        outdate('vaults?');
        outdate(`documents ${id}?`);
        announce(t.deleted(name));
      }}
    >
      <p>{t.deleteText(documentCount)}</p>
    </Confirm>
  );
}
