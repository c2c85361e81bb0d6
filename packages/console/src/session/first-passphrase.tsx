import { useState } from 'preact/hooks';
import { Button, CopyButton } from '../components/button.tsx';
import { Checkbox, FormError, type Problem, SecretField, useForm } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
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
export function generatePassphrase(): string {
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
      <fieldset class="segments">
        <legend class="visually-hidden">{t.how}</legend>
        {(['generated', 'own'] as const).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="kind"
              checked={kind === name}
              onChange={() => setKind(name)}
            />
            <span>{t[name]}</span>
          </label>
        ))}
      </fieldset>
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
    <form class="stack" ref={form.ref} onSubmit={form.onSubmit} noValidate>
      <SecretField
        name="passphrase"
        label={t.passphrase}
        form={form}
        autocomplete="new-password"
        hint={t.tooShort}
      />
      <SecretField name="repeated" label={t.repeat} form={form} autocomplete="new-password" />
      <FormError form={form} />
      <Button type="submit" kind="primary" isBusy={form.isBusy}>
        {form.isBusy ? t.deriving : action}
      </Button>
    </form>
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
    <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
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
      <FormError form={form} />
      <Button type="submit" kind="primary" isBusy={form.isBusy}>
        {form.isBusy ? t.deriving : action}
      </Button>
      <Kit passphrase={passphrase} />
    </form>
  );
}

/** The sheet that is printed, and is not on the screen. */
function Kit({ passphrase }: { readonly passphrase: string }) {
  const t = sessionTexts.value;
  const rows = [
    [t.kitService, serviceUrl.href],
    [t.kitAccount, user.value?.email],
    [t.kitDate, formatDate(Date.now())],
    [t.kitPassphrase, passphrase],
  ];
  return (
    <section class="kit" aria-hidden="true">
      <h2>{t.kitTitle}</h2>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>{t.kitAdvice}</p>
    </section>
  );
}

/** Asks an account without documents for its first passphrase. */
export function FirstPassphrase() {
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
