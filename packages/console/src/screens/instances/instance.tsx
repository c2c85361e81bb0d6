import type { Instance, InstancePoint } from '@document-vault/sdk';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Button } from '../../components/button.tsx';
import { FormDialog, useDialog } from '../../components/dialog.tsx';
import { ExportMenu } from '../../components/export.tsx';
import { Figures, Section } from '../../components/facts.tsx';
import { Checkbox, TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { Await, Failed, Note } from '../../components/states.tsx';
import { common } from '../../messages/common.ts';
import { formatDay, formatNumber, formatSize, formatTime } from '../../messages/format.ts';
import { pathTo } from '../../service/addresses.ts';
import { client, isAdministrator, send } from '../../service/client.ts';
import { amend, outdate, useLoaded } from '../../service/loading.ts';
import { instanceTexts } from './messages.ts';
import { Plot } from './plot.tsx';
import { InstanceHealthBadge, Quota } from './screen.tsx';

/** An instance: its quota, its history, and its health checks on request. */
export default function InstanceScreen() {
  const t = instanceTexts.value;
  const id = useRoute().params.instanceId ?? '';
  const loaded = useLoaded(`instance ${id}`, () => send(client.instances.get(id)));
  const { dialog, show } = useDialog();
  const { data } = loaded;
  return (
    <Page
      title={data?.name ?? t.title}
      above={<a href={pathTo('instances')}>{t.title}</a>}
      actions={
        data &&
        isAdministrator.value && (
          <Button icon="pencil" onClick={() => show(<ChangeInstance instance={data} />)}>
            {common.value.change}
          </Button>
        )
      }
    >
      <Await loaded={loaded}>
        {(instance) => (
          <>
            <Figures
              facts={[
                { label: t.health, value: <InstanceHealthBadge status={instance.status} /> },
                { label: t.storage, value: <Quota {...instance} /> },
                { label: t.region, value: instance.region },
                { label: t.version, value: instance.version },
              ]}
            />
            <History id={id} />
            <Checks id={id} />
            {dialog}
          </>
        )}
      </Await>
    </Page>
  );
}

/** What is plotted of each day. */
interface Measure {
  /** Its name in an export. */
  readonly id: string;
  readonly label: string;
  readonly figureOf: (point: InstancePoint) => number;
  readonly format: (value: number) => string;
}

function measures(): Measure[] {
  const t = instanceTexts.value;
  const measure = (
    id: string,
    label: string,
    figureOf: Measure['figureOf'],
    format = formatNumber,
  ) => ({ id, label, figureOf, format });
  return [
    measure('requests', t.requests, ({ requests }) => requests),
    measure('documents', t.documents, ({ documents }) => documents),
    measure('usedBytes', t.stored, ({ usedBytes }) => usedBytes, formatSize),
    measure('delivered', t.delivered, ({ deliveries }) => deliveries.succeeded),
    measure('failed', t.failed, ({ deliveries }) => deliveries.failed),
  ];
}

function History({ id }: { readonly id: string }) {
  const t = instanceTexts.value;
  const [isTable, setTable] = useState(false);
  const loaded = useLoaded(`history ${id}`, () =>
    send(client.instances.history(id, { step: 'day' })),
  );
  return (
    <Section
      title={t.history}
      description={t.historyText}
      actions={
        <span class="row">
          <Button aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? t.asPlots : t.asTable}
          </Button>
          {loaded.data && <HistoryExport points={loaded.data.data} />}
        </span>
      }
    >
      <Await loaded={loaded}>
        {({ data, from, to }) =>
          data.length === 0 ? (
            <Note kind="info">{t.noHistory}</Note>
          ) : isTable ? (
            <HistoryTable points={data} />
          ) : (
            <div class="plots">
              {measures().map(({ id: measure, label, format, figureOf }) => (
                <Plot
                  key={measure}
                  {...{ label, format, from, to }}
                  points={data.map((point) => ({ at: point.start, value: figureOf(point) }))}
                />
              ))}
            </div>
          )
        }
      </Await>
    </Section>
  );
}

function HistoryExport({ points }: { readonly points: readonly InstancePoint[] }) {
  const figures = measures().map(({ id, figureOf }) => ({ id, exported: figureOf }));
  const columns = [{ id: 'day', exported: ({ start }: InstancePoint) => start }, ...figures];
  const pages = async function* () {
    yield { data: points };
  };
  return <ExportMenu name="history" list={() => ({ pages })} columns={columns} />;
}

/** The figures of the plots, the newest day first. */
function HistoryTable({ points }: { readonly points: readonly InstancePoint[] }) {
  const t = instanceTexts.value;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table
    <section class="card scrolled" aria-label={t.history} tabIndex={0}>
      <table class="figures-table">
        <thead>
          <tr>
            <th scope="col">{t.day}</th>
            {measures().map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.start}>
              <th scope="row">{formatDay(point.start)}</th>
              {measures().map(({ label, figureOf, format }) => (
                <td key={label}>{format(figureOf(point))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The checks run on request: they write to the store, and the screen has its two requests already. */
function Checks({ id }: { readonly id: string }) {
  const t = instanceTexts.value;
  const [isWanted, setWanted] = useState(false);
  const { data, error, isLoading, reload } = useLoaded(isWanted ? `health ${id}` : undefined, () =>
    send(client.instances.health(id)),
  );
  const run = () => (isWanted ? reload() : setWanted(true));
  return (
    <Section
      title={t.checks}
      description={data ? t.checkedAt(formatTime(data.checkedAt)) : t.checksText}
      actions={
        <Button icon="activity" isBusy={isWanted && isLoading} onClick={run}>
          {t.runChecks}
        </Button>
      }
    >
      <div role="status">
        {data && (
          <ul class="card check-results">
            {data.checks.map(({ name, status, durationMs, message }) => (
              <li key={name}>
                <InstanceHealthBadge status={status} />
                <span>
                  {name}
                  {message && <span class="soft"> – {message}</span>}
                </span>
                <span class="soft number">{formatNumber(Math.round(durationMs))} ms</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {error !== undefined && <Failed error={error} onRetry={reload} />}
    </Section>
  );
}

const gigabyte = 1_000_000_000;

/** Administrators change name, quota, and whether new accounts are taken. */
function ChangeInstance({ instance }: { readonly instance: Instance }) {
  const t = instanceTexts.value;
  const { id, name, quotaBytes, isActive } = instance;
  const save = async (values: Record<string, string>) => {
    const wanted = Math.round(Number(values.quotaBytes) * gigabyte);
    const changed = await send(
      client.instances.update(id, {
        name: values.name ?? name,
        quotaBytes: wanted,
        isActive: values.isActive === 'on',
      }),
    );
    amend<Instance>(`instance ${id}`, () => changed);
    outdate('instances?');
    return t.changed;
  };
  return (
    <FormDialog title={t.changeTitle} action={common.value.save} onSend={save}>
      <TextField
        name="name"
        label={common.value.name}
        defaultValue={name}
        maxlength={120}
        required
        autofocus
      />
      <TextField
        name="quotaBytes"
        type="number"
        label={t.quota}
        defaultValue={String(quotaBytes / gigabyte)}
        min="0"
        step="any"
        required
      />
      <Checkbox name="isActive" label={t.isActive} defaultChecked={isActive} />
    </FormDialog>
  );
}
