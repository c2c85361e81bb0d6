import type { Keyring } from '@document-vault/sdk';
import { useEffect, useState } from 'preact/hooks';
import {
  FormError,
  FormView,
  SecretField,
  Submit,
  TextField,
  useForm,
} from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { Await, Note } from '../components/states.tsx';
import {
  enter,
  isRecoveryKeyLost,
  newRecoveryKey,
  openKeyring,
  outdateKeyring,
  useKeyring,
} from '../service/keys.ts';
import { hasPasskey, readPasskey } from '../service/passkeys.ts';
import { FirstPassphrase, ForgottenPassphrase, StartAnew } from './keyring-forms.tsx';
import { explainKeyringError, sessionTexts } from './messages.ts';
import { RecoveryKit } from './recovery-kit.tsx';

/** The form that is shown, unless there is a new recovery key. */
type Step =
  | { readonly name: 'ask' | 'startAnew' }
  | { readonly name: 'newPassphrase'; readonly recoveryKey: string };

/** Asks for a secret of the keyring, or for the first passphrase of an account without one. */
export default function UnlockForms() {
  const loaded = useKeyring();
  const [step, setStep] = useState<Step>({ name: 'ask' });
  useEffect(() => {
    // While the tab was hidden, another device can have created or changed the keyring.
    const readAgain = () => {
      const isAsking = step.name === 'ask' && !newRecoveryKey.peek();
      if (document.visibilityState === 'visible' && isAsking) outdateKeyring();
    };
    addEventListener('visibilitychange', readAgain);
    return () => removeEventListener('visibilitychange', readAgain);
  }, [step.name]);
  const recoveryKey = newRecoveryKey.value;
  if (recoveryKey) return <NewRecoveryKey recoveryKey={recoveryKey} />;
  const asked = (
    <Await loaded={loaded}>
      {(keyring) => (keyring ? <Ask keyring={keyring} onStep={setStep} /> : <FirstPassphrase />)}
    </Await>
  );
  return (
    <section class="unlock">
      <span class="empty-icon">
        <Icon name={step.name === 'ask' ? 'lock' : 'key-round'} size={24} />
      </span>
      {step.name === 'ask' && asked}
      {step.name === 'startAnew' && <StartAnew onBack={() => setStep({ name: 'ask' })} />}
      {step.name === 'newPassphrase' && <ForgottenPassphrase recoveryKey={step.recoveryKey} />}
    </section>
  );
}

function NewRecoveryKey({ recoveryKey }: { readonly recoveryKey: string }) {
  const confirm = async () => {
    await enter();
    newRecoveryKey.value = undefined;
  };
  return (
    <section class="unlock">
      <span class="empty-icon">
        <Icon name="key-round" size={24} />
      </span>
      <h2>{sessionTexts.value.kit}</h2>
      <RecoveryKit recoveryKey={recoveryKey} onConfirmed={confirm} />
    </section>
  );
}

interface AskProps {
  readonly keyring: Keyring;
  readonly onStep: (step: Step) => void;
}

/** Asks for a secret of the keyring. A passkey comes first: it is the quickest. */
function Ask({ keyring, onStep }: AskProps) {
  const t = sessionTexts.value;
  const [way, setWay] = useState<'passphrase' | 'recoveryKey'>('passphrase');
  const isRecovery = way === 'recoveryKey';
  const form = useForm(async ({ passphrase = '', recoveryKey = '' }) => {
    await openKeyring(isRecovery ? { recoveryKey } : { passphrase }, keyring);
    if (isRecovery) onStep({ name: 'newPassphrase', recoveryKey });
    else await enter();
  });
  return (
    <>
      <h2>{t.unlock}</h2>
      <p class="soft">{t.unlockLead}</p>
      {isRecoveryKeyLost.value && <Note kind="warning">{t.recoveryKeyLost}</Note>}
      {hasPasskey(keyring) && <UsePasskey keyring={keyring} />}
      <FormView form={form} key={way}>
        {isRecovery ? (
          <TextField
            name="recoveryKey"
            label={t.recoveryKey}
            hint={t.recoveryKeyHint}
            autocomplete="off"
            spellcheck={false}
            required
            autofocus
          />
        ) : (
          <SecretField
            name="passphrase"
            label={t.passphrase}
            autocomplete="off"
            required
            autofocus
          />
        )}
        <FormError explained={explainKeyringError} />
        <Submit action={t.unlockAction} busy={t.deriving} icon="lock-open" />
      </FormView>
      <p class="unlock-ways">
        <button
          type="button"
          class="link"
          onClick={() => setWay(isRecovery ? 'passphrase' : 'recoveryKey')}
        >
          {isRecovery ? t.usePassphrase : t.useRecoveryKey}
        </button>
        {isRecovery && (
          <button type="button" class="link" onClick={() => onStep({ name: 'startAnew' })}>
            {t.allLost}
          </button>
        )}
      </p>
    </>
  );
}

function UsePasskey({ keyring }: { readonly keyring: Keyring }) {
  const t = sessionTexts.value;
  const form = useForm(async () => {
    await openKeyring({ prf: await readPasskey(keyring) }, keyring);
    await enter();
  });
  return (
    <FormView form={form}>
      <FormError explained={explainKeyringError} />
      <Submit action={t.usePasskey} icon="key-round" />
    </FormView>
  );
}
