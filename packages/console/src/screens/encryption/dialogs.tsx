import type { Keyring, Secret, Unlocker } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { Dialog, FormDialog, useClose } from '../../components/dialog.tsx';
import { SecretField, TextField } from '../../components/form.tsx';
import { Segments } from '../../components/options.tsx';
import { Note } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { client, user } from '../../service/client.ts';
import { outdateKeyring } from '../../service/keys.ts';
import { createPasskey } from '../../service/passkeys.ts';
import { LoginPassword } from '../../session/first-sign-in.tsx';
import { explainSecret, sessionTexts } from '../../session/messages.ts';
import { NewPassphrase } from '../../session/new-passphrase.tsx';
import { RecoveryKit } from '../../session/recovery-kit.tsx';
import { announce } from '../../shell/toasts.tsx';
import { encryptionTexts } from './messages.ts';

type Values = Readonly<Record<string, string>>;

/** Asks for the proof of a change: a current secret for the keys, and the password for the service. */
function Proof() {
  const t = sessionTexts.value;
  const [type, setType] = useState<'currentPassphrase' | 'currentRecoveryKey'>('currentPassphrase');
  const isPassphrase = type === 'currentPassphrase';
  return (
    <>
      <Segments
        label={encryptionTexts.value.confirmWith}
        options={[
          ['currentPassphrase', t.passphrase],
          ['currentRecoveryKey', t.recoveryKey],
        ]}
        chosen={type}
        onChange={setType}
      />
      <SecretField
        key={type}
        name={type}
        label={isPassphrase ? encryptionTexts.value.currentPassphrase : t.recoveryKey}
        hint={isPassphrase ? undefined : t.recoveryKeyHint}
        autocomplete="off"
        required
      />
      <LoginPassword />
    </>
  );
}

function proofOf({ currentPassphrase, currentRecoveryKey = '', currentPassword = '' }: Values) {
  const current: Secret =
    currentPassphrase === undefined
      ? { recoveryKey: currentRecoveryKey }
      : { passphrase: currentPassphrase };
  return { current, currentPassword };
}

export function ChangePassphrase() {
  const t = encryptionTexts.value;
  const close = useClose();
  return (
    <Dialog title={t.changeTitle}>
      <div class="stack">
        <p class="soft">{t.changeLead}</p>
        <NewPassphrase
          action={t.changeTitle}
          onChosen={async ({ passphrase, ...values }) => {
            await client.keyring.setPassphrase(passphrase, proofOf(values));
            outdateKeyring();
            announce(t.changed);
            close();
          }}
        >
          <Proof />
        </NewPassphrase>
      </div>
    </Dialog>
  );
}

/** The name of an unlocker, for people who have several. */
function LabelField({ label }: { readonly label: string }) {
  return (
    <TextField
      name="label"
      label={common.value.name}
      defaultValue={label}
      maxlength={60}
      required
    />
  );
}

export function AddRecoveryKey() {
  const t = encryptionTexts.value;
  const close = useClose();
  const [recoveryKey, setRecoveryKey] = useState<string>();
  if (recoveryKey) {
    return (
      <Dialog title={sessionTexts.value.kit}>
        <div class="stack">
          <RecoveryKit recoveryKey={recoveryKey} onKept={async () => close()} />
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={t.addRecoveryKey}
      action={t.add}
      explained={explainSecret}
      onSend={async ({ label = '', ...values }) => {
        setRecoveryKey(await client.keyring.addRecoveryKey({ ...proofOf(values), label }));
        outdateKeyring();
        return undefined;
      }}
    >
      <p class="soft">{t.addRecoveryKeyLead}</p>
      <LabelField label={t.recoveryKey} />
      <Proof />
    </FormDialog>
  );
}

export function AddPasskey({ keyring }: { readonly keyring: Keyring }) {
  const t = encryptionTexts.value;
  return (
    <FormDialog
      title={t.addPasskey}
      action={t.add}
      explained={explainSecret}
      onSend={async ({ label = '', ...values }) => {
        const passkey = await createPasskey(keyring, user.value?.email ?? '');
        await client.keyring.addPasskey({ ...passkey, ...proofOf(values), label });
        outdateKeyring();
        return t.passkeyAdded;
      }}
    >
      <p class="soft">{t.addPasskeyLead}</p>
      <LabelField label={t.passkey} />
      <Proof />
    </FormDialog>
  );
}

interface RemoveProps {
  readonly unlocker: Unlocker;
  readonly name: string;
}

export function Remove({ unlocker: { id }, name }: RemoveProps) {
  const t = encryptionTexts.value;
  return (
    <FormDialog
      title={t.removeTitle(name)}
      action={t.remove}
      kind="danger"
      onSend={async ({ currentPassword = '' }) => {
        await client.keyring.remove(id, { currentPassword });
        outdateKeyring();
        return t.removed(name);
      }}
    >
      <Note kind="info">{t.removeText}</Note>
      <LoginPassword />
    </FormDialog>
  );
}
