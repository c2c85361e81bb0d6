import { useState } from 'preact/hooks';
import { Actions, Button } from '../../components/button.tsx';
import { FormError, FormView, SecretField, Submit, useForm } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { Note } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { explain } from '../../messages/errors.ts';
import { NewPassphrase } from '../../session/first-passphrase.tsx';
import {
  type Change,
  change,
  changePassphrase,
  checkPresent,
  type Present,
  stopChange,
} from './change.ts';
import { encryptionTexts } from './messages.ts';

/** The change of the passphrase. */
export default function Encryption() {
  const t = encryptionTexts.value;
  const [present, setPresent] = useState<Present>();
  const state = change.value?.state;
  const isIdle = state === undefined || state === 'stopped' || state === 'failed';
  return (
    <Page title={t.title} description={t.description}>
      <section class="unlock" aria-label={t.begin}>
        {change.value && <Progress change={change.value} />}
        {isIdle && !present && <AskPresent onChecked={setPresent} />}
        {isIdle && present && <AskNew present={present} onEnd={() => setPresent(undefined)} />}
      </section>
    </Page>
  );
}

function AskPresent({ onChecked }: { readonly onChecked: (present: Present) => void }) {
  const t = encryptionTexts.value;
  const [isEmpty, setEmpty] = useState(false);
  const form = useForm(async ({ passphrase = '' }) => {
    const present = await checkPresent(passphrase);
    if (present) onChecked(present);
    else setEmpty(true);
  });
  return (
    <>
      <h2>{t.begin}</h2>
      <p class="soft">{t.changeLead}</p>
      <FormView form={form}>
        <SecretField
          name="passphrase"
          label={t.present}
          hint={t.presentHint}
          autocomplete="off"
          required
        />
        {isEmpty && <Note kind="info">{t.none}</Note>}
        <FormError />
        <Submit action={t.next} />
      </FormView>
    </>
  );
}

interface AskNewProps {
  readonly present: Present;
  /** Called when the change has begun, and to go back. */
  readonly onEnd: () => void;
}

function AskNew({ present, onEnd }: AskNewProps) {
  const t = encryptionTexts.value;
  const [isWrong, setWrong] = useState(false);
  const begin = async (passphrase: string) => {
    const hasBegun = await changePassphrase(present, passphrase);
    setWrong(!hasBegun);
    if (hasBegun) onEnd();
  };
  return (
    <>
      <h2>{t.newTitle}</h2>
      {!present.isNewest && <Note kind="warning">{t.newLead}</Note>}
      {isWrong && <Note kind="error">{t.wrong}</Note>}
      <NewPassphrase action={t.begin} onChosen={begin} />
      <Button kind="quiet" icon="arrow-left" onClick={onEnd}>
        {t.back}
      </Button>
    </>
  );
}

function Progress({ change: { state, done, total, others, error } }: { readonly change: Change }) {
  const t = encryptionTexts.value;
  const progress = t.progress(done, total);
  if (state === 'running') {
    return (
      <>
        <h2>{t.working}</h2>
        <progress
          aria-label={t.working}
          max={Math.max(total, 1)}
          value={total > 0 ? done : undefined}
        />
        <p>{progress}</p>
        <p class="hint">{t.workingHint}</p>
        <Actions>
          <Button onClick={stopChange}>{t.stop}</Button>
        </Actions>
      </>
    );
  }
  return (
    <>
      {state === 'done' && (
        <>
          <h2>{t.doneTitle}</h2>
          <Note kind="success">{t.done(done - others)}</Note>
          <Actions>
            <Button
              kind="primary"
              onClick={() => {
                change.value = undefined;
              }}
            >
              {common.value.close}
            </Button>
          </Actions>
        </>
      )}
      {state === 'stopped' && <Note kind="warning">{t.stopped(done - others)}</Note>}
      {state === 'failed' && <Note kind="error">{explain(error)}</Note>}
      {others > 0 && <Note kind="warning">{t.others(others)}</Note>}
    </>
  );
}
