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
import { explainSecret, sessionTexts } from './messages.ts';

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
export function NewPassphrase(props: NewPassphraseProps) {
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
      {kind === 'own' ? <Own {...props} /> : <Generated {...props} />}
    </>
  );
}

function Own({ action, onChosen, children }: NewPassphraseProps) {
  const t = sessionTexts.value;
  const form = useForm(
    ({ repeated: _, passphrase = '', ...values }) => onChosen({ ...values, passphrase }),
    ({ passphrase = '', repeated = '' }): Record<string, Problem> => {
      if (passphrase.length < minLength) return { passphrase: () => sessionTexts.value.tooShort };
      return passphrase === repeated ? {} : { repeated: () => sessionTexts.value.different };
    },
  );
  return (
    <FormView form={form}>
      {children}
      <SecretField
        name="passphrase"
        label={t.passphrase}
        autocomplete="new-password"
        hint={t.tooShort}
      />
      <SecretField name="repeated" label={t.repeat} autocomplete="new-password" />
      <FormError explained={explainSecret} />
      <Submit action={action} busy={t.deriving} />
    </FormView>
  );
}

function Generated({ action, onChosen, children }: NewPassphraseProps) {
  const t = sessionTexts.value;
  const [passphrase, setPassphrase] = useState(generatePassphrase);
  const [isUnsaved, setUnsaved] = useState(false);
  const form = useForm(async ({ saved, ...values }) => {
    setUnsaved(saved !== 'on');
    if (saved === 'on') await onChosen({ ...values, passphrase });
  });
  return (
    <FormView form={form}>
      {children}
      <output class="generated">{passphrase}</output>
      <p class="hint">{t.generatedHint}</p>
      <div class="row">
        <CopyButton text={passphrase} />
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
      <FormError explained={explainSecret} />
      <Submit action={action} busy={t.deriving} />
    </FormView>
  );
}
