import type { Delivery, EventType, Webhook } from '@document-vault/sdk';
import { Button } from '../../components/button.tsx';
import { Actions, Confirm, Dialog } from '../../components/dialog.tsx';
import { FormError, SelectField, useForm } from '../../components/form.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { outdate } from '../../service/loading.ts';
import { announce, announceError } from '../../shell/toasts.tsx';
import { showChanged, WebhookForm } from './form.tsx';
import { webhookTexts } from './messages.ts';

export type Open =
  | { readonly kind: 'create' }
  | {
      readonly kind: 'change' | 'delete' | 'test' | 'retryFailed';
      readonly webhook: Webhook;
    };

interface DialogsProps {
  readonly open: Open | undefined;
  readonly onClose: () => void;
  /** After a test event was sent. */
  readonly onDelivery: (delivery: Delivery) => void;
  readonly onDeleted?: () => void;
}

/** The dialog that is open, if any. */
export function WebhookDialogs({ open, onClose, onDelivery, onDeleted }: DialogsProps) {
  if (!open) return null;
  if (open.kind === 'create') return <WebhookForm onClose={onClose} />;
  const { webhook } = open;
  if (open.kind === 'change') return <WebhookForm webhook={webhook} onClose={onClose} />;
  if (open.kind === 'test') return <SendTest {...{ webhook, onClose, onDelivery }} />;
  if (open.kind === 'retryFailed') return <RetryFailed {...{ webhook, onClose }} />;
  return <DeleteWebhook {...{ webhook, onClose, onDeleted }} />;
}

/** What can be done with a webhook, for menus. */
export function actionsOf(webhook: Webhook, open: (dialog: Open) => void): MenuItem[] {
  const t = webhookTexts.value;
  const { active } = webhook;
  return [
    { label: t.change, icon: 'pencil', onSelect: () => open({ kind: 'change', webhook }) },
    { label: t.test, icon: 'send', onSelect: () => open({ kind: 'test', webhook }) },
    {
      label: t.retryFailed,
      icon: 'rotate-ccw',
      onSelect: () => open({ kind: 'retryFailed', webhook }),
    },
    {
      label: active ? t.pause : t.resume,
      icon: active ? 'pause' : 'play',
      onSelect: () => void setActive(webhook, !active),
    },
    {
      label: common.value.delete,
      icon: 'trash-2',
      isDangerous: true,
      onSelect: () => open({ kind: 'delete', webhook }),
    },
  ];
}

async function setActive({ id }: Webhook, active: boolean): Promise<void> {
  const t = webhookTexts.value;
  try {
    showChanged(await send(client.webhooks.update(id, { active })));
    announce(active ? t.resumed : t.paused);
  } catch (error) {
    announceError(error);
  }
}

/** Receivers mostly respond within this time, in milliseconds: one look then, in place of polling. */
const usualResponse = 1000;

function SendTest({
  webhook,
  onClose,
  onDelivery,
}: Pick<DialogsProps, 'onClose' | 'onDelivery'> & { readonly webhook: Webhook }) {
  const t = webhookTexts.value;
  const form = useForm(async ({ eventType }) => {
    const test = { eventType: eventType as EventType };
    const delivery = await send(client.webhooks.test(webhook.id, test));
    await new Promise((done) => setTimeout(done, usualResponse));
    outdate(`deliveries ${webhook.id}`);
    onClose();
    onDelivery(delivery);
  });
  return (
    <Dialog title={t.test} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        <p>{t.testText}</p>
        <SelectField name="eventType" label={common.value.eventType} form={form}>
          {webhook.events.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </SelectField>
        <FormError form={form} />
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="primary" icon="send" isBusy={form.isBusy}>
            {t.testAction}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

interface WebhookProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

function RetryFailed({ webhook, onClose }: WebhookProps) {
  const t = webhookTexts.value;
  const form = useForm(async () => {
    const { retried } = await send(client.webhooks.deliveries.retryFailed(webhook.id));
    outdate(`deliveries ${webhook.id}`);
    onClose();
    announce(t.retriedCount(retried));
  });
  return (
    <Dialog title={t.retryFailedTitle} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.onSubmit}>
        <p>{t.retryFailedText}</p>
        <FormError form={form} />
        <Actions>
          <Button onClick={onClose}>{common.value.cancel}</Button>
          <Button type="submit" kind="primary" icon="rotate-ccw" isBusy={form.isBusy}>
            {t.retryFailed}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

function DeleteWebhook({
  webhook,
  onClose,
  onDeleted,
}: WebhookProps & { readonly onDeleted: (() => void) | undefined }) {
  const t = webhookTexts.value;
  return (
    <Confirm
      title={t.deleteTitle}
      action={common.value.delete}
      onClose={onClose}
      onConfirm={async () => {
        await send(client.webhooks.delete(webhook.id));
        outdate('webhooks?');
        announce(t.deleted);
        onDeleted?.();
      }}
    >
      <p class="mono truncate">{webhook.url}</p>
      <p>{t.deleteText}</p>
    </Confirm>
  );
}
