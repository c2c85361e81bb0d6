import type { Vault } from '@document-vault/sdk';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { TextArea, TextField } from '../../components/form.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { amend, outdate, provide, replaceRow } from '../../service/loading.ts';
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
}

/** Creates a vault, or changes one. */
export function VaultForm({ vault, onCreated }: VaultFormProps) {
  const t = vaultTexts.value;
  const save = async ({ name = '', description, category }: Record<string, string>) => {
    const fields = { name, description: description || null, category: category || null };
    if (vault) {
      showVault(await send(client.vaults.update(vault.id, fields)));
      return common.value.changed(name);
    }
    const created = await send(client.vaults.create(fields));
    outdate('vaults?');
    provide(`vault ${created.id}`, created);
    onCreated?.(created);
    return t.created(name);
  };
  return (
    <FormDialog
      title={vault ? t.changeTitle(vault.name) : t.create}
      action={vault ? common.value.save : t.createAction}
      onSend={save}
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
export function DeleteVault({ vault }: { readonly vault: Vault }) {
  const t = vaultTexts.value;
  const { id, name, documentCount } = vault;
  return (
    <Confirm
      title={common.value.deleteTitle(name)}
      action={common.value.delete}
      typed={documentCount > 0 ? name : undefined}
      onConfirm={async () => {
        await send(client.vaults.delete(id));
        outdate('vaults?');
        outdate(`documents ${id}?`);
        return common.value.deleted(name);
      }}
    >
      <p>{t.deleteText(documentCount)}</p>
    </Confirm>
  );
}
