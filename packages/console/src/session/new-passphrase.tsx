import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button, CopyButton } from '../components/button.tsx';
import {
  Checkbox,
  FormError,
  FormView,
  type Problem,
  SecretField,
  Submit,
  useForm,
} from '../components/form.tsx';
import { Segments } from '../components/options.tsx';
import { explainKeyringError, sessionTexts } from './messages.ts';

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
  /** Gets the values of all fields by their names. */
  readonly onChosen: (values: Values) => Promise<void>;
  /** Further fields. */
  readonly children?: ComponentChildren;
}

type Values = Readonly<Record<string, string>> & { readonly passphrase: string };

/** Asks for a new passphrase: typed twice, or generated and saved. */
export function NewPassphrase({ action, onChosen, children }: NewPassphraseProps) {
  const t = sessionTexts.value;
  const [generated, setGenerated] = useState<string | undefined>(generatePassphrase);
  const form = useForm(
    ({ passphrase = '', ...values }) =>
      onChosen({ ...values, passphrase: generated ?? passphrase }),
    ({ passphrase = '', repeated, saved }): Record<string, Problem> => {
      const texts = () => sessionTexts.value;
      if (generated) return saved ? {} : { saved: () => texts().saveFirst };
      if (passphrase.length < minLength) return { passphrase: () => texts().tooShort };
      return passphrase === repeated ? {} : { repeated: () => texts().different };
    },
  );
  return (
    <FormView form={form}>
      {children}
      <Segments
        label={t.how}
        options={[
          ['generated', t.generated],
          ['own', t.own],
        ]}
        chosen={generated ? 'generated' : 'own'}
        onChange={(kind) => setGenerated(kind === 'own' ? undefined : generatePassphrase())}
      />
      {generated ? (
        <>
          <output class="generated">{generated}</output>
          <p class="hint">{t.generatedHint}</p>
          <div class="row">
            <CopyButton text={generated} />
            <Button icon="refresh-cw" onClick={() => setGenerated(generatePassphrase())}>
              {t.another}
            </Button>
          </div>
          <Checkbox name="saved" label={t.saved} />
        </>
      ) : (
        <>
          <SecretField
            name="passphrase"
            label={t.newPassphrase}
            autocomplete="new-password"
            hint={t.tooShort}
          />
          <SecretField name="repeated" label={t.repeat} autocomplete="new-password" />
        </>
      )}
      <FormError explained={explainKeyringError} />
      <Submit action={action} busy={t.deriving} />
    </FormView>
  );
}
