import type { Delivery, EventType, Webhook } from '@document-vault/sdk';
import { Confirm, FormDialog, type Show, useClose } from '../../components/dialog.tsx';
import { SelectField } from '../../components/form.tsx';
import type { MenuItem } from '../../components/menu.tsx';
import { sameNames } from '../../components/options.tsx';
import { common } from '../../messages/common.ts';
import { client, send } from '../../service/client.ts';
import { outdate } from '../../service/loading.ts';
import { report } from '../../shell/toasts.tsx';
import { NewSecret, showWebhook, WebhookForm } from './form.tsx';
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
      onSelect: () => show(<WebhookForm webhook={webhook} />),
    },
    { label: t.test, icon: 'send', onSelect: () => showTest(webhook, show, reactions) },
    { label: t.retryFailed, icon: 'rotate-ccw', onSelect: () => showRetryFailed(webhook, show) },
    { label: t.rotate, icon: 'rotate-ccw', onSelect: () => showRotation(webhook, show) },
    ...(webhook.previousSecretExpiresAt === null
      ? []
      : [{ label: t.endPrevious, icon: 'x' as const, onSelect: () => endPrevious(webhook) }]),
    {
      label: active ? t.pause : t.resume,
      icon: active ? 'pause' : 'play',
      onSelect: () => setActive(webhook, !active),
    },
    {
      label: common.value.delete,
      icon: 'trash-2',
      isDangerous: true,
      onSelect: () => show(<DeleteWebhook webhook={webhook} {...reactions} />),
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

function showRotation(webhook: Webhook, show: Show): void {
  const t = webhookTexts.value;
  show(
    <Confirm
      title={t.rotate}
      action={t.rotate}
      kind="primary"
      onConfirm={async () => {
        const { secret = '', ...rotated } = await send(client.webhooks.rotateSecret(webhook.id));
        showWebhook({ ...webhook, ...rotated });
        show(<NewSecret title={t.rotated} text={t.createdText} secret={secret} />);
        return undefined;
      }}
    >
      <p>{t.rotateText}</p>
    </Confirm>,
  );
}

function endPrevious({ id }: Webhook): void {
  void report(async () => {
    showWebhook(await send(client.webhooks.update(id, { previousSecretExpiresAt: null })));
    return webhookTexts.value.previousEnded;
  });
}

/** Receivers mostly respond within this time, in milliseconds: one look then, in place of polling. */
const usualResponse = 1000;

interface WebhookProps extends Reactions {
  readonly webhook: Webhook;
}

export function showTest(webhook: Webhook, show: Show, { onDelivery }: Reactions): void {
  show(<SendTest webhook={webhook} onDelivery={onDelivery} />);
}

function SendTest({ webhook, onDelivery }: WebhookProps) {
  const t = webhookTexts.value;
  const close = useClose();
  const sendTest = async ({ eventType }: Record<string, string>) => {
    const test = { eventType: eventType as EventType };
    const delivery = await send(client.webhooks.test(webhook.id, test));
    await new Promise((done) => setTimeout(done, usualResponse));
    outdate(`deliveries ${webhook.id}`);
    close();
    onDelivery(delivery);
    return undefined;
  };
  return (
    <FormDialog title={t.test} action={t.testAction} icon="send" onSend={sendTest}>
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
  show(
    <Confirm
      title={t.retryFailedTitle}
      action={t.retryFailed}
      kind="primary"
      icon="rotate-ccw"
      onConfirm={async () => {
        const { retried } = await send(client.webhooks.deliveries.retryFailed(id));
        outdate(`deliveries ${id}`);
        return t.retriedCount(retried);
      }}
    >
      <p>{t.retryFailedText}</p>
    </Confirm>,
  );
}

function DeleteWebhook({ webhook, onDeleted }: WebhookProps) {
  const t = webhookTexts.value;
  return (
    <Confirm
      title={t.deleteTitle}
      action={common.value.delete}
      onConfirm={async () => {
        await send(client.webhooks.delete(webhook.id));
        outdate('webhooks?');
        onDeleted?.();
        return t.deleted;
      }}
    >
      <p class="mono truncate">{webhook.url}</p>
      <p>{t.deleteText}</p>
    </Confirm>
  );
}
