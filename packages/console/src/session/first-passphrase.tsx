import { useState } from 'preact/hooks';
import { Button, CopyButton } from '../components/button.tsx';
import { Facts } from '../components/facts.tsx';
import {
  Checkbox,
  FormError,
  FormView,
  type Problem,
  SecretField,
  Submit,
  useForm,
} from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { Segments } from '../components/options.tsx';
import { formatDate } from '../messages/format.ts';
import { serviceUrl } from '../service/addresses.ts';
import { user } from '../service/client.ts';
import { cipherFor, unlock } from '../service/keys.ts';
import { sessionTexts } from './messages.ts';

/** Shorter passphrases can be guessed from the stored data: each guess costs one run of PBKDF2. */
const minLength = 12;

/** Crockford's alphabet: no letter looks like a digit. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Returns 125 random bits in five groups. */
function generatePassphrase(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(25))].map(
    (byte) => alphabet[byte % alphabet.length],
  );
  return letters.join('').replace(/.{5}(?=.)/g, '$&-');
}

interface NewPassphraseProps {
  /** The name of the button. */
  readonly action: string;
  readonly onChosen: (passphrase: string) => Promise<void>;
}

/** Asks for a new passphrase: typed twice, or generated and saved. */
export function NewPassphrase({ action, onChosen }: NewPassphraseProps) {
  const t = sessionTexts.value;
  const [kind, setKind] = useState<'generated' | 'own'>('generated');
  return (
    <>
      <Segments
        label={t.how}
        options={[
          ['generated', t.generated],
          ['own', t.own],
        ]}
        chosen={kind}
        onChange={setKind}
      />
      {kind === 'own' ? <Own {...{ action, onChosen }} /> : <Generated {...{ action, onChosen }} />}
    </>
  );
}

function Own({ action, onChosen }: NewPassphraseProps) {
  const t = sessionTexts.value;
  const form = useForm(
    ({ passphrase = '' }) => onChosen(passphrase),
    ({ passphrase = '', repeated = '' }): Record<string, Problem> => {
      if (passphrase.length < minLength) return { passphrase: () => sessionTexts.value.tooShort };
      return passphrase === repeated ? {} : { repeated: () => sessionTexts.value.different };
    },
  );
  return (
    <FormView form={form}>
      <SecretField
        name="passphrase"
        label={t.passphrase}
        autocomplete="new-password"
        hint={t.tooShort}
      />
      <SecretField name="repeated" label={t.repeat} autocomplete="new-password" />
      <FormError />
      <Submit action={action} busy={t.deriving} />
    </FormView>
  );
}

function Generated({ action, onChosen }: NewPassphraseProps) {
  const t = sessionTexts.value;
  const [passphrase, setPassphrase] = useState(generatePassphrase);
  const [isUnsaved, setUnsaved] = useState(false);
  const form = useForm(async ({ saved }) => {
    setUnsaved(saved !== 'on');
    if (saved === 'on') await onChosen(passphrase);
  });
  return (
    <FormView form={form}>
      <output class="generated">{passphrase}</output>
      <p class="hint">{t.generatedHint}</p>
      <div class="row">
        <CopyButton text={passphrase} />
        <Button icon="printer" onClick={() => print()}>
          {t.print}
        </Button>
        <Button icon="refresh-cw" onClick={() => setPassphrase(generatePassphrase())}>
          {t.another}
        </Button>
      </div>
      <Checkbox name="saved" label={t.saved} />
      {isUnsaved && (
        <p class="problem" role="alert">
          {t.saveFirst}
        </p>
      )}
      <FormError />
      <Submit action={action} busy={t.deriving} />
      <Kit passphrase={passphrase} />
    </FormView>
  );
}

/** The sheet that is printed, and is not on the screen. */
function Kit({ passphrase }: { readonly passphrase: string }) {
  const t = sessionTexts.value;
  const rows = [
    { label: t.kitService, value: serviceUrl.href },
    { label: t.kitAccount, value: user.value?.email },
    { label: t.kitDate, value: formatDate(Date.now()) },
    { label: t.passphrase, value: passphrase },
  ];
  return (
    <section class="kit" aria-hidden="true">
      <h2>{t.kitTitle}</h2>
      <Facts facts={rows} class="kit-facts" />
      <p>{t.kitAdvice}</p>
    </section>
  );
}

/** Asks an account without documents for its first passphrase. */
export default function FirstPassphrase() {
  const t = sessionTexts.value;
  const begin = async (passphrase: string) => {
    const made = await cipherFor(passphrase, undefined);
    if (made) await unlock(made);
  };
  return (
    <section class="unlock">
      <span class="empty-icon">
        <Icon name="key-round" size={24} />
      </span>
      <h2>{t.first}</h2>
      <p class="soft">{t.firstLead}</p>
      <NewPassphrase action={t.begin} onChosen={begin} />
    </section>
  );
}
