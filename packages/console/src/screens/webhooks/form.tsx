import type { EventType, Webhook } from '@document-vault/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { type Form, FormError, SecretField, TextField, useForm } from '../../components/form.tsx';
import { ShownOnce } from '../../components/secret.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { eventGroups, eventTypes } from '../../service/event-types.ts';
import { amend, outdate, replaceRow } from '../../service/loading.ts';
import { announce } from '../../shell/toasts.tsx';
import { webhookTexts } from './messages.ts';

/** Replaces a changed webhook wherever it is shown, without a request. */
export function showChanged(webhook: Webhook): void {
  replaceRow('webhooks?', webhook, 'id');
  amend<Webhook>(`webhook ${webhook.id}`, () => webhook);
}

interface FormProps {
  /** Undefined for a new webhook. */
  readonly webhook?: Webhook;
  readonly onClose: () => void;
}

/** Creates a webhook, or changes one. A new secret is shown once, at the end. */
export function WebhookForm({ webhook, onClose }: FormProps) {
  const t = webhookTexts.value;
  const [events, setEvents] = useState<ReadonlySet<EventType>>(new Set(webhook?.events));
  const [headers, setHeaders] = useState(Object.entries(webhook?.headers ?? {}));
  const [generated] = useState(randomSecret);
  const [secretToKeep, setSecretToKeep] = useState<string>();
  const form = useForm(
    async ({ url = '', description, secret = '' }) => {
      const named = headers.filter(([name]) => name !== '');
      const fields = {
        url,
        description: description || null,
        events: eventTypes.filter((type) => events.has(type)),
        headers: named.length > 0 ? Object.fromEntries(named) : null,
      };
      if (webhook) {
        showChanged(await send(client.webhooks.update(webhook.id, withSecret(fields, secret))));
        announce(t.changed);
        onClose();
        return;
      }
      await send(client.webhooks.create({ ...fields, secret }));
      outdate('webhooks?');
      setSecretToKeep(secret);
    },
    ({ secret = '' }) => ({
      ...(events.size === 0 && { events: () => webhookTexts.value.noEvents }),
      ...((secret || !webhook) &&
        secret.length < 32 && { secret: () => webhookTexts.value.secretShort }),
    }),
  );
  if (secretToKeep !== undefined) return <Created secret={secretToKeep} onClose={onClose} />;
  return (
    <Dialog title={webhook ? t.changeTitle : t.create} size="large" onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        <TextField
          name="url"
          type="url"
          label={t.url}
          form={form}
          hint={t.urlHint}
          defaultValue={webhook?.url ?? ''}
          placeholder="https://"
          maxlength={2048}
          required
          autofocus
        />
        <TextField
          name="description"
          label={t.text}
          form={form}
          isOptional
          defaultValue={webhook?.description ?? ''}
          maxlength={2000}
        />
        <EventChoice form={form} chosen={events} onChange={setEvents} />
        <Headers form={form} headers={headers} onChange={setHeaders} />
        <SecretField
          name="secret"
          label={webhook ? t.newSecret : t.secret}
          form={form}
          isOptional={webhook !== undefined}
          hint={webhook ? t.newSecretHint : t.secretHint}
          defaultValue={webhook ? '' : generated}
          autocomplete="off"
          maxlength={256}
        />
        <FormError form={form} />
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {webhook ? common.value.save : t.createAction}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

const withSecret = <F extends object>(fields: F, secret: string) =>
  secret ? { ...fields, secret } : fields;

/** 256 random bits, as text. */
function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function Created({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const t = webhookTexts.value;
  return (
    <Dialog title={t.created} onClose={onClose}>
      <div class="stack">
        <p>{t.createdText}</p>
        <ShownOnce label={t.secret} secret={secret} />
        <Actions>
          <Button kind="primary" onClick={onClose}>
            {common.value.done}
          </Button>
        </Actions>
      </div>
    </Dialog>
  );
}

interface EventChoiceProps {
  readonly form: Form;
  readonly chosen: ReadonlySet<EventType>;
  readonly onChange: (chosen: ReadonlySet<EventType>) => void;
}

/** The event types by groups. A group, and all of them, are chosen at once. */
function EventChoice({ form, chosen, onChange }: EventChoiceProps) {
  const t = webhookTexts.value;
  const problem = form.problems.get('events');
  const set = (types: readonly EventType[], isChosen: boolean) =>
    onChange(isChosen ? new Set([...chosen, ...types]) : chosen.difference(new Set(types)));
  return (
    <fieldset class="checks" aria-describedby={problem && 'events-problem'}>
      <legend class="legend">{t.events}</legend>
      {problem && (
        <p class="problem" id="events-problem">
          {problem}
        </p>
      )}
      <GroupCheckbox label={t.allEvents} types={eventTypes} {...{ chosen, set }} />
      {eventGroups.map(({ name, types }) => (
        <div key={name} class="check-group">
          <GroupCheckbox label={t[name]} {...{ types, chosen, set }} />
          <div class="check-grid">
            {types.map((type) => (
              <label key={type} class="checkbox">
                <input
                  type="checkbox"
                  name="events"
                  value={type}
                  aria-invalid={problem ? true : undefined}
                  checked={chosen.has(type)}
                  onChange={({ currentTarget }) => set([type], currentTarget.checked)}
                />
                <span class="mono">{type}</span>
              </label>
            ))}
          </div>
        </div>
      ))}
    </fieldset>
  );
}

interface GroupProps {
  readonly label: string;
  readonly types: readonly EventType[];
  readonly chosen: ReadonlySet<EventType>;
  readonly set: (types: readonly EventType[], isChosen: boolean) => void;
}

function GroupCheckbox({ label, types, chosen, set }: GroupProps) {
  const ref = useRef<HTMLInputElement>(null);
  const count = types.filter((type) => chosen.has(type)).length;
  const isAll = count === types.length;
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = count > 0 && !isAll;
  }, [count, isAll]);
  return (
    <label class="checkbox">
      <input
        ref={ref}
        type="checkbox"
        checked={isAll}
        onChange={({ currentTarget }) => set(types, currentTarget.checked)}
      />
      <strong>{label}</strong>
    </label>
  );
}

interface HeadersProps {
  readonly form: Form;
  readonly headers: [string, string][];
  readonly onChange: (headers: [string, string][]) => void;
}

/** The webhook's own headers, a row for each. */
function Headers({ form, headers, onChange }: HeadersProps) {
  const t = webhookTexts.value;
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
        const problem = form.problems.get(`headers.${name}`);
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
