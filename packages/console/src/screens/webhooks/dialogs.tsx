import type { Delivery, EventType, Webhook } from '@document-vault/sdk';
import { Confirm, FormDialog, type Show } from '../../components/dialog.tsx';
import { SelectField, useForm } from '../../components/form.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { sameNames } from '../../components/options.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { outdate } from '../../service/loading.ts';
import { announce, report } from '../../shell/toasts.tsx';
import { showWebhook, WebhookForm } from './form.tsx';
import { webhookTexts } from './messages.ts';

interface Reactions {
  /** Called after a test event was sent. */
  readonly onDelivery: (delivery: Delivery) => void;
  readonly onDeleted?: () => void;
}

/** What can be done with a webhook, for menus. */
export function actionsOf(webhook: Webhook, show: Show, reactions: Reactions): MenuItem[] {
  const t = webhookTexts.value;
  const { active } = webhook;
  return [
    {
      label: common.value.change,
      icon: 'pencil',
      onSelect: () => show((onClose) => <WebhookForm webhook={webhook} onClose={onClose} />),
    },
    { label: t.test, icon: 'send', onSelect: () => showTest(webhook, show, reactions) },
    { label: t.retryFailed, icon: 'rotate-ccw', onSelect: () => showRetryFailed(webhook, show) },
    {
      label: active ? t.pause : t.resume,
      icon: active ? 'pause' : 'play',
      onSelect: () => setActive(webhook, !active),
    },
    {
      label: common.value.delete,
      icon: 'trash-2',
      isDangerous: true,
      onSelect: () => show((onClose) => <DeleteWebhook {...{ webhook, onClose }} {...reactions} />),
    },
  ];
}

function setActive({ id }: Webhook, active: boolean): void {
  void report(async () => {
    showWebhook(await send(client.webhooks.update(id, { active })));
    const t = webhookTexts.value;
    return active ? t.resumed : t.paused;
  });
}

/** Receivers mostly respond within this time, in milliseconds: one look then, in place of polling. */
const usualResponse = 1000;

interface WebhookProps extends Reactions {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function showTest(webhook: Webhook, show: Show, { onDelivery }: Reactions): void {
  show((onClose) => <SendTest {...{ webhook, onClose, onDelivery }} />);
}

function SendTest({ webhook, onClose, onDelivery }: WebhookProps) {
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
    <FormDialog title={t.test} form={form} action={t.testAction} icon="send" onClose={onClose}>
      <p>{t.testText}</p>
      <SelectField
        name="eventType"
        label={common.value.eventType}
        options={sameNames(webhook.events)}
      />
    </FormDialog>
  );
}

export function showRetryFailed({ id }: Webhook, show: Show): void {
  const t = webhookTexts.value;
  show((onClose) => (
    <Confirm
      title={t.retryFailedTitle}
      action={t.retryFailed}
      kind="primary"
      icon="rotate-ccw"
      onClose={onClose}
      onConfirm={async () => {
        const { retried } = await send(client.webhooks.deliveries.retryFailed(id));
        outdate(`deliveries ${id}`);
        announce(t.retriedCount(retried));
      }}
    >
      <p>{t.retryFailedText}</p>
    </Confirm>
  ));
}

function DeleteWebhook({ webhook, onClose, onDeleted }: WebhookProps) {
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
