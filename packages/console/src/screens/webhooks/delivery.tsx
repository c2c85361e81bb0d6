import type { DeliveryAttempt, DeliveryDetail } from '@document-vault/sdk';
import { useRoute } from 'preact-iso';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { Page } from '../../components/page.tsx';
import { Await, Badge, Note } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { common } from '../../messages/common.ts';
import { formatNumber } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, send } from '../../service/client.ts';
import { outdate, useLoaded } from '../../service/loading.ts';
import { Duration, retryDelivery } from './attempt.tsx';
import { CurlDialog } from './curl.tsx';
import { StatusBadge } from './health.tsx';
import { webhookTexts } from './messages.ts';

/** A delivery: the event that it carries, and each attempt with the response of the receiver. */
export default function DeliveryScreen() {
  const t = webhookTexts.value;
  const { webhookId = '', deliveryId = '' } = useRoute().params;
  const webhook = useLoaded(`webhook ${webhookId}`, () => send(client.webhooks.get(webhookId)));
  const loaded = useLoaded(`delivery ${deliveryId}`, () =>
    send(client.webhooks.deliveries.get(webhookId, deliveryId)),
  );
  const { data, isLoading, reload } = loaded;
  const { dialog, show } = useDialog();
  const reloadAll = () => {
    outdate(`deliveries ${webhookId}`);
    reload();
  };
  return (
    <Page
      title={data?.eventType ?? t.deliveryId}
      above={
        <>
          <a href={pathTo('webhooks')}>{t.title}</a>
          <span aria-hidden="true">/</span>
          <a href={pathTo(`webhooks/${webhookId}`)}>{webhook.data?.url ?? webhookId}</a>
        </>
      }
      actions={
        data && (
          <>
            <Button icon="refresh-cw" isBusy={isLoading} onClick={reload}>
              {common.value.refresh}
            </Button>
            <Button
              icon="terminal"
              onClick={() => show(<CurlDialog delivery={data} webhook={webhook.data} />)}
            >
              {t.copyCurl}
            </Button>
            {!data.test && (
              <Button
                kind="primary"
                icon="rotate-ccw"
                onClick={() => retryDelivery(data, reloadAll)}
              >
                {t.retry}
              </Button>
            )}
          </>
        )
      }
    >
      <Await loaded={loaded}>{(delivery) => <Shown delivery={delivery} />}</Await>
      {dialog}
    </Page>
  );
}

function Shown({ delivery }: { readonly delivery: DeliveryDetail }) {
  const t = webhookTexts.value;
  const { id, eventId, status, test, createdAt, nextAttemptAt, completedAt, attempts } = delivery;
  return (
    <>
      <div class="card padded">
        <Facts
          facts={[
            {
              label: t.status,
              value: (
                <span class="row">
                  <StatusBadge status={status} />
                  {test && <Badge kind="accent">{t.testBadge}</Badge>}
                </span>
              ),
            },
            { label: common.value.time, value: <Time at={createdAt} /> },
            nextAttemptAt
              ? { label: t.nextAttempt, value: <Time at={nextAttemptAt} form="distance" /> }
              : { label: t.completed, value: <Time at={completedAt} /> },
            { label: t.deliveryId, value: <span class="mono">{id}</span> },
            { label: common.value.eventId, value: <span class="mono">{eventId}</span> },
          ]}
        />
      </div>
      <Section title={t.attempts}>
        {attempts.length === 0 && <Note kind="info">{t.noAttempts}</Note>}
        <ol class="timeline">
          {attempts.toReversed().map((attempt) => (
            <Attempt key={attempt.attemptNumber} attempt={attempt} />
          ))}
        </ol>
      </Section>
      <Section title={t.payload}>
        <CodeBlock
          label="application/json"
          code={JSON.stringify(delivery.payload, null, 2)}
          isJson
        />
      </Section>
    </>
  );
}

function Attempt({ attempt }: { readonly attempt: DeliveryAttempt }) {
  const t = webhookTexts.value;
  const { attemptNumber, startedAt, statusCode, durationMs, error, responseBody, manual } = attempt;
  const isRunning = durationMs === null;
  const kind = isRunning ? 'neutral' : error === null ? 'success' : 'error';
  return (
    <li class="card">
      <div class="attempt-header">
        <strong>{t.attempt(formatNumber(attemptNumber))}</strong>
        <Badge kind={kind}>{statusCode ?? (isRunning ? t.pending : t.noResponse)}</Badge>
        {manual && <Badge>{t.manual}</Badge>}
        <span class="soft number">
          <Duration ms={durationMs} />
        </span>
        <Time at={startedAt} />
      </div>
      {(error || statusCode !== null) && (
        <div class="attempt-body stack">
          {error && <Note kind="error">{error}</Note>}
          {responseBody ? (
            <CodeBlock label={t.responseBody} code={responseBody} />
          ) : (
            statusCode !== null && <p class="soft">{t.emptyBody}</p>
          )}
        </div>
      )}
    </li>
  );
}
