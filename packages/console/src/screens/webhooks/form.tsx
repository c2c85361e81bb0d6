import type { EventType, Webhook } from '@document-vault/sdk';
import { useContext, useState } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { Choices } from '../../components/choices.tsx';
import { DoneDialog, FormDialog } from '../../components/dialog.tsx';
import { FormContext, SecretField, TextField } from '../../components/form.tsx';
import { ShownOnce } from '../../components/states.tsx';
import { eventTypes } from '../../generated/choices.ts';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { amend, outdate, replaceRow } from '../../service/loading.ts';
import { webhookTexts } from './messages.ts';

/** Replaces a changed webhook wherever it is shown, without a request. */
export function showWebhook(webhook: Webhook): void {
  replaceRow('webhooks?', webhook, 'id');
  amend<Webhook>(`webhook ${webhook.id}`, () => webhook);
}

interface NewSecretProps {
  readonly title: string;
  readonly text: string;
  readonly secret: string;
}

/** Shows a secret once. */
export function NewSecret({ title, text, secret }: NewSecretProps) {
  return (
    <DoneDialog title={title}>
      <p>{text}</p>
      <ShownOnce label={webhookTexts.value.secret} secret={secret} />
    </DoneDialog>
  );
}

interface FormProps {
  /** Undefined for a new webhook. */
  readonly webhook?: Webhook;
}

/** Creates a webhook, or changes one. A new secret is shown once, at the end. */
export function WebhookForm({ webhook }: FormProps) {
  const t = webhookTexts.value;
  const [events, setEvents] = useState<ReadonlySet<EventType>>(new Set(webhook?.events));
  const [headers, setHeaders] = useState(Object.entries(webhook?.headers ?? {}));
  const [secretToKeep, setSecretToKeep] = useState<string>();
  const save = async ({ url = '', description, secret = '' }: Record<string, string>) => {
    const named = headers.filter(([name]) => name !== '');
    const fields = {
      url,
      description: description || null,
      events: eventTypes.filter((type) => events.has(type)),
      headers: named.length > 0 ? Object.fromEntries(named) : null,
    };
    if (webhook) {
      const changes = { ...fields, ...(secret && { secret }) };
      showWebhook(await send(client.webhooks.update(webhook.id, changes)));
      return t.changed;
    }
    const created = await send(client.webhooks.create({ ...fields, ...(secret && { secret }) }));
    outdate('webhooks?');
    setSecretToKeep(created.secret ?? secret);
    return undefined;
  };
  const validate = ({ secret = '' }: Record<string, string>) => ({
    ...(events.size === 0 && { events: () => webhookTexts.value.noEvents }),
    ...(secret && secret.length < 32 && { secret: () => webhookTexts.value.secretShort }),
  });
  if (secretToKeep !== undefined) {
    return <NewSecret title={t.created} text={t.createdText} secret={secretToKeep} />;
  }
  return (
    <FormDialog
      title={webhook ? t.changeTitle : t.create}
      size="large"
      action={webhook ? common.value.save : t.createAction}
      onSend={save}
      validate={validate}
    >
      <TextField
        name="url"
        type="url"
        label={t.url}
        hint={t.urlHint}
        defaultValue={webhook?.url ?? ''}
        placeholder="https://"
        maxlength={2048}
        required
        autofocus
      />
      <TextField
        name="description"
        label={common.value.description}
        isOptional
        defaultValue={webhook?.description ?? ''}
        maxlength={2000}
      />
      <Choices
        name="events"
        label={t.events}
        all={t.allEvents}
        groups={resources.map((resource) => ({
          label: t[resource],
          values: eventTypes.filter((type) => type.startsWith(`${resource}.`)),
        }))}
        chosen={events}
        onChange={setEvents}
      />
      <Headers headers={headers} onChange={setHeaders} />
      <SecretField
        name="secret"
        label={webhook ? t.newSecret : t.secret}
        isOptional
        hint={webhook ? t.newSecretHint : t.secretHint}
        autocomplete="off"
        maxlength={256}
      />
    </FormDialog>
  );
}

/** What events are about: the first part of their types. */
const resources = ['vault', 'document', 'consent', 'user', 'instance'] as const;

interface HeadersProps {
  readonly headers: [string, string][];
  readonly onChange: (headers: [string, string][]) => void;
}

/** The webhook's own headers, a row for each. */
function Headers({ headers, onChange }: HeadersProps) {
  const t = webhookTexts.value;
  const { problems } = useContext(FormContext);
  const replace = (at: number, header: [string, string]) =>
    onChange(headers.map((other, index) => (index === at ? header : other)));
  return (
    <fieldset class="header-rows">
      <legend class="legend">
        {t.headers} <span class="soft">({common.value.optional})</span>
      </legend>
      <p class="hint">{t.headersHint}</p>
      {headers.map(([name, value], index) => {
        const number = String(index + 1);
        const problem = problems.get(`headers.${name}`);
        return (
          <div key={index} class="stack">
            <div class="header-row">
              <input
                class="input mono"
                aria-label={t.headerName(number)}
                placeholder="X-Name"
                maxlength={100}
                value={name}
                onInput={({ currentTarget }) => replace(index, [currentTarget.value, value])}
              />
              <input
                class="input mono"
                name={`headers.${name}`}
                aria-label={t.headerValue(number)}
                aria-invalid={problem ? true : undefined}
                aria-describedby={problem && `header-problem-${index}`}
                maxlength={4096}
                value={value}
                onInput={({ currentTarget }) => replace(index, [name, currentTarget.value])}
              />
              <IconButton
                icon="trash-2"
                label={t.removeHeader(number)}
                onClick={() => onChange(headers.filter((_, other) => other !== index))}
              />
            </div>
            {problem && (
              <p class="problem" id={`header-problem-${index}`}>
                {problem}
              </p>
            )}
          </div>
        );
      })}
      {headers.length < 20 && (
        <span>
          <Button icon="plus" onClick={() => onChange([...headers, ['', '']])}>
            {t.addHeader}
          </Button>
        </span>
      )}
    </fieldset>
  );
}
