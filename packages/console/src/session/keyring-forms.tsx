import { ValidationError } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { LoginPassword, TextField } from '../components/form.tsx';
import { Note } from '../components/states.tsx';
import { common } from '../messages/common.ts';
import { client } from '../service/client.ts';
import { begin, enter, outdateKeyring } from '../service/keys.ts';
import { sessionTexts } from './messages.ts';
import { NewPassphrase } from './new-passphrase.tsx';

/** Asks an account without a keyring for its passphrase. */
export function FirstPassphrase() {
  const t = sessionTexts.value;
  return (
    <>
      <h2>{t.first}</h2>
      <p class="soft">{t.firstLead}</p>
      <NewPassphrase
        action={t.begin}
        onChosen={async ({ passphrase }) => {
          try {
            await begin(client.keyring.create({ passphrase }));
          } catch (error) {
            // Another tab or device has created it meanwhile: ask for that passphrase.
            const isConflict =
              error instanceof ValidationError && error.details.constraint === 'version';
            if (!isConflict) throw error;
            outdateKeyring();
          }
        }}
      />
    </>
  );
}

/** Replaces a keyring whose secrets are all lost. */
export function StartAnew({ onBack }: { readonly onBack: () => void }) {
  const t = sessionTexts.value;
  const [typed, setTyped] = useState('');
  return (
    <>
      <h2>{t.anew}</h2>
      <Note kind="warning">{t.anewWarning}</Note>
      <TextField
        name="typed"
        label={common.value.typeToConfirm(t.anewWord)}
        value={typed}
        autocomplete="off"
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {typed.trim().toLowerCase() === t.anewWord && (
        <NewPassphrase
          action={t.anewAction}
          onChosen={({ passphrase, currentPassword = '' }) =>
            begin(client.keyring.replace({ passphrase, currentPassword }))
          }
        >
          <LoginPassword />
        </NewPassphrase>
      )}
      <Button kind="quiet" icon="arrow-left" onClick={onBack}>
        {t.back}
      </Button>
    </>
  );
}

/** Asks for a new passphrase after the recovery key has opened the keyring, because the old one is forgotten. */
export function ForgottenPassphrase({ recoveryKey }: { readonly recoveryKey: string }) {
  const t = sessionTexts.value;
  return (
    <>
      <h2>{t.replaceTitle}</h2>
      <p class="soft">{t.replaceLead}</p>
      <NewPassphrase
        action={t.begin}
        onChosen={async ({ passphrase, currentPassword = '' }) => {
          const proof = { current: { recoveryKey }, currentPassword };
          await client.keyring.setPassphrase(passphrase, proof);
          await enter();
        }}
      >
        <LoginPassword />
      </NewPassphrase>
      <Button kind="quiet" onClick={() => void enter()}>
        {t.later}
      </Button>
    </>
  );
}
