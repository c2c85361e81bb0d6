import { Button, CopyButton } from '../components/button.tsx';
import { save } from '../components/export.tsx';
import { Facts } from '../components/facts.tsx';
import { FormView, Submit, TextField, useForm } from '../components/form.tsx';
import { formatDate } from '../messages/format.ts';
import { serviceUrl } from '../service/addresses.ts';
import { user } from '../service/client.ts';
import { sessionTexts } from './messages.ts';

interface RecoveryKitProps {
  readonly recoveryKey: string;
  /** Called once the user has confirmed that the key is kept. */
  readonly onConfirmed: () => Promise<void>;
}

/** Shows a new recovery key, the only time, until the user has typed its end. */
export function RecoveryKit({ recoveryKey, onConfirmed }: RecoveryKitProps) {
  const t = sessionTexts.value;
  const last = recoveryKey.slice(-4);
  const form = useForm(onConfirmed, ({ last: typed = '' }) =>
    typed.trim().toUpperCase() === last ? {} : { last: () => sessionTexts.value.otherGroup },
  );
  const facts = [
    { label: t.kitService, value: serviceUrl.href },
    { label: t.kitAccount, value: user.value?.email },
    { label: t.kitDate, value: formatDate(Date.now()) },
    { label: t.recoveryKey, value: recoveryKey },
  ];
  const asText = () => {
    const lines = facts.map(({ label, value }) => `${label}: ${value ?? ''}`);
    const text = [t.kitTitle, '', ...lines, '', t.kitAdvice, ''].join('\n');
    save(new Blob([text], { type: 'text/plain' }), 'document-vault-recovery-kit.txt');
  };
  return (
    <>
      <p class="soft">{t.kitLead}</p>
      <output class="generated" aria-label={t.recoveryKey}>
        {recoveryKey}
      </output>
      <div class="row">
        <Button icon="printer" onClick={() => print()}>
          {t.print}
        </Button>
        <Button icon="download" onClick={asText}>
          {t.saveKit}
        </Button>
        <CopyButton text={recoveryKey} />
      </div>
      <FormView form={form}>
        <TextField
          name="last"
          label={t.lastGroup}
          hint={t.lastGroupHint}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxlength={4}
        />
        <Submit action={t.confirmed} />
      </FormView>
      <section class="kit" aria-hidden="true">
        <h2>{t.kitTitle}</h2>
        <Facts facts={facts} class="kit-facts" />
        <p>{t.kitAdvice}</p>
      </section>
    </>
  );
}
