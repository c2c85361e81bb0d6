import type { DeliveryDetail, Webhook } from '@document-vault/sdk';
import { signedRequest } from '@document-vault/webhook-verify/testing';
import { useEffect, useState } from 'preact/hooks';
import { CodeBlock } from '../../components/code-block.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FormView, SecretField, TextField, useForm } from '../../components/form.tsx';
import { webhookTexts } from './messages.ts';

interface CurlProps {
  readonly delivery: DeliveryDetail;
  /** Undefined while it is loaded. */
  readonly webhook: Webhook | undefined;
}

/** Shows a command that sends a delivery again. The secret, which the service does not return, signs it here. */
export function CurlDialog({ delivery, webhook }: CurlProps) {
  const t = webhookTexts.value;
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [secret, setSecret] = useState('');
  const [signed, setSigned] = useState<Readonly<Record<string, string>>>();
  const body = JSON.stringify(delivery.payload);
  // Nothing is sent: the fields make the command.
  const form = useForm(async () => undefined);
  useEffect(() => {
    let isLatest = true;
    const signing = signedRequest(delivery.payload, secret).catch(() => undefined);
    void signing.then((request) => isLatest && setSigned(request?.headers));
    return () => {
      isLatest = false;
    };
  }, [delivery.payload, secret]);
  return (
    <Dialog title={t.copyCurl} size="large">
      <FormView form={form}>
        <p>{t.curlText}</p>
        <TextField
          name="url"
          type="url"
          label={t.curlTarget}
          value={url}
          onInput={({ currentTarget }) => setUrl(currentTarget.value)}
        />
        <SecretField
          name="secret"
          label={t.curlSecret}
          isOptional
          hint={t.curlSecretHint}
          autocomplete="off"
          value={secret}
          onInput={({ currentTarget }) => setSecret(currentTarget.value)}
        />
        <CodeBlock
          label={t.command}
          code={curlOf({ url, body, delivery, headers: webhook?.headers ?? {}, signed })}
        />
      </FormView>
    </Dialog>
  );
}

interface Request {
  readonly url: string;
  readonly body: string;
  readonly delivery: DeliveryDetail;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined without a valid secret. */
  readonly signed: Readonly<Record<string, string>> | undefined;
}

/** Returns the command for a POSIX shell, with the headers of a delivery. */
function curlOf({ url, body, delivery, headers, signed }: Request): string {
  const all = {
    'Content-Type': 'application/json',
    ...signed,
    'X-Service-Event-Id': delivery.eventId,
    'X-Service-Event-Type': delivery.eventType,
    'X-Service-Delivery-Id': delivery.id,
    ...(delivery.test && { 'X-Service-Test': 'true' }),
    ...headers,
  };
  const options = Object.entries(all).map(
    ([name, value]) => `  --header ${quoted(`${name}: ${value}`)}`,
  );
  return [`curl ${quoted(url)}`, ...options, `  --data-raw ${quoted(body)}`].join(' \\\n');
}

/** Within single quotes a shell expands nothing; a quote itself ends them for one character. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
