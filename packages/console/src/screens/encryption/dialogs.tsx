import type { Secret, Unlocker } from '@document-vault/sdk';
import { useRef, useState } from 'preact/hooks';
import { Dialog, FormDialog, useClose } from '../../components/dialog.tsx';
import { LoginPassword, SecretField, TextField } from '../../components/form.tsx';
import { Segments } from '../../components/options.tsx';
import { Note } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { client, send, user } from '../../service/client.ts';
import { checkSecret, outdateKeyring } from '../../service/keys.ts';
import { createPasskey, type NewPasskey } from '../../service/passkeys.ts';
import { explainKeyringError, sessionTexts } from '../../session/messages.ts';
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
          <RecoveryKit recoveryKey={recoveryKey} onConfirmed={async () => close()} />
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={t.addRecoveryKey}
      action={t.add}
      explained={explainKeyringError}
      onSend={async ({ label = '', ...values }) => {
        setRecoveryKey(await client.keyring.addRecoveryKey({ ...proofOf(values), label }));
        outdateKeyring();
        return undefined;
      }}
    >
      <p class="soft">{t.addRecoveryKeyLead}</p>
      <LabelField label={sessionTexts.value.recoveryKey} />
      <Proof />
    </FormDialog>
  );
}

export function AddPasskey() {
  const t = encryptionTexts.value;
  // After a wrong password, the next attempt adds the passkey that the authenticator has already.
  const passkey = useRef<NewPasskey>(null);
  return (
    <FormDialog
      title={t.addPasskey}
      action={t.add}
      explained={explainKeyringError}
      onSend={async ({ label = '', ...values }) => {
        const proof = proofOf(values);
        if (!passkey.current) {
          const keyring = await send(client.keyring.get());
          // A passkey that the keyring does not get would stay on the authenticator.
          await checkSecret(proof.current, keyring);
          passkey.current = await createPasskey(keyring, user.value?.email ?? '');
        }
        await client.keyring.addPasskey({ ...passkey.current, ...proof, label });
        outdateKeyring();
        return t.passkeyAdded;
      }}
    >
      <p class="soft">{t.addPasskeyLead}</p>
      <LabelField label={sessionTexts.value.passkey} />
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
      explained={explainKeyringError}
      onSend={async (values) => {
        const { current, currentPassword } = proofOf(values);
        // The service checks the password alone.
        await checkSecret(current, await send(client.keyring.get()));
        await client.keyring.remove(id, { currentPassword });
        outdateKeyring();
        return t.removed(name);
      }}
    >
      <Note kind="info">{t.removeText}</Note>
      <Proof />
    </FormDialog>
  );
}
