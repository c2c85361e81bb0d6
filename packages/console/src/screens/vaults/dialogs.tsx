import type { Vault } from '@document-vault/sdk';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { TextArea, TextField, useForm } from '../../components/form.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { amend, outdate, provide, replaceRow } from '../../service/loading.ts';
import { announce } from '../../shell/toasts.tsx';
import { vaultTexts } from './messages.ts';

/** Replaces a changed vault in every list that shows it, without a request. */
export function showVault(vault: Vault): void {
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
      showVault(await send(client.vaults.update(vault.id, fields)));
      announce(common.value.changed(name));
    } else {
      const created = await send(client.vaults.create(fields));
      outdate('vaults?');
      provide(`vault ${created.id}`, created);
      announce(t.created(name));
      onCreated?.(created);
    }
    onClose();
  });
  return (
    <FormDialog
      title={vault ? t.changeTitle(vault.name) : t.create}
      form={form}
      action={vault ? common.value.save : t.createAction}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={common.value.name}
        defaultValue={vault?.name ?? ''}
        maxlength={120}
        required
        autofocus
      />
      <TextArea
        name="description"
        label={common.value.description}
        isOptional
        defaultValue={vault?.description ?? ''}
        maxlength={2000}
      />
      <TextField
        name="category"
        label={t.category}
        isOptional
        hint={t.categoryHint}
        defaultValue={vault?.category ?? ''}
        maxlength={50}
        autocapitalize="off"
      />
    </FormDialog>
  );
}

/** Deletes a vault after a question. A vault with documents needs its name typed. */
export function DeleteVault({ vault, onClose }: { vault: Vault; onClose: () => void }) {
  const t = vaultTexts.value;
  const { id, name, documentCount } = vault;
  return (
    <Confirm
      title={common.value.deleteTitle(name)}
      action={common.value.delete}
      typed={documentCount > 0 ? name : undefined}
      onClose={onClose}
      onConfirm={async () => {
        await send(client.vaults.delete(id));
        outdate('vaults?');
        outdate(`documents ${id}?`);
        announce(common.value.deleted(name));
      }}
    >
      <p>{t.deleteText(documentCount)}</p>
    </Confirm>
  );
}
