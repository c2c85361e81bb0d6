import { UsageError } from '@document-vault/sdk';
import { useRef } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { common } from '../../messages/common.ts';
import { explain } from '../../messages/errors.ts';
import { formatShare, formatSize } from '../../messages/format.ts';
import { catalogue } from '../../messages/language.ts';
import { documentTexts } from './messages.ts';
import {
  remove,
  removeEnded,
  resumeWith,
  retryTransfer,
  type Transfer,
  transfers,
} from './transfers.ts';

const texts = catalogue({
  title: ['Transfers', 'Übertragungen'],
  waiting: ['Waiting', 'Wartet'],
  encrypting: ['Encrypting and sending', 'Wird verschlüsselt und gesendet'],
  receiving: ['Receiving and decrypting', 'Wird empfangen und entschlüsselt'],
  progress: [
    (done: string, total: string, share: string) => `${done} of ${total} (${share})`,
    (done, total, share) => `${done} von ${total} (${share})`,
  ],
  uploaded: ['Uploaded', 'Hochgeladen'],
  saved: ['Saved', 'Gespeichert'],
  interrupted: [
    'Interrupted. Choose the same file again to go on where it stopped.',
    'Unterbrochen. Wählen Sie dieselbe Datei erneut, um fortzufahren.',
  ],
  interruptedHere: [
    'Interrupted by the lock. It goes on after you unlock.',
    'Durch die Sperre unterbrochen. Es geht nach dem Entsperren weiter.',
  ],
  choose: ['Choose the file', 'Datei auswählen'],
  cancel: [(name: string) => `Cancel ${name}`, (name) => `${name} abbrechen`],
  removeIt: [
    (name: string) => `Remove ${name} from the list`,
    (name) => `${name} aus der Liste entfernen`,
  ],
  clear: ['Clear the finished ones', 'Abgeschlossene entfernen'],
  summary: [
    (done: number, all: number, failed: number) =>
      `${done} of ${all} finished${failed > 0 ? `, ${failed} failed` : ''}`,
    (done, all, failed) =>
      `${done} von ${all} abgeschlossen${failed > 0 ? `, ${failed} fehlgeschlagen` : ''}`,
  ],
  progressOf: [(name: string) => `Progress of ${name}`, (name) => `Fortschritt von ${name}`],
});

/** The queue of uploads and downloads. The live region has a summary alone: each percent would be too much. */
export function TransferList() {
  const t = texts.value;
  const all = transfers.value;
  const count = (state: Transfer['state']) => all.filter((one) => one.state === state).length;
  const done = count('done');
  const summary = all.length > 0 ? t.summary(done, all.length, count('failed')) : '';
  return (
    <>
      <p class="visually-hidden" role="status">
        {summary}
      </p>
      {all.length > 0 && (
        <section class="card transfers" aria-label={t.title}>
          <header class="transfers-header">
            <h2>{t.title}</h2>
            <span class="soft">{summary}</span>
            {done > 0 && (
              <Button kind="quiet" onClick={removeEnded}>
                {t.clear}
              </Button>
            )}
          </header>
          <ul>
            {all.map((one) => (
              <Item key={one.id} transfer={one} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const stateIcons = {
  waiting: 'hourglass',
  interrupted: 'triangle-alert',
  failed: 'circle-alert',
  done: 'circle-check',
} as const;

function Item({ transfer }: { readonly transfer: Transfer }) {
  const t = texts.value;
  const { kind, name, state, file } = transfer;
  const input = useRef<HTMLInputElement>(null);
  const isActive = state === 'running' || state === 'waiting';
  const runningIcon = kind === 'upload' ? 'upload' : 'download';
  return (
    <li class={`transfer ${state}`}>
      <Icon name={state === 'running' ? runningIcon : stateIcons[state]} />
      <div class="transfer-text">
        <span class="truncate" title={name}>
          {name}
        </span>
        <Status transfer={transfer} />
      </div>
      {state === 'failed' && !hasBadName(transfer) && (
        <Button icon="refresh-cw" onClick={() => retryTransfer(transfer)}>
          {common.value.retry}
        </Button>
      )}
      {state === 'interrupted' && kind === 'upload' && !file && (
        <>
          <Button icon="file" onClick={() => input.current?.click()}>
            {t.choose}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            onChange={({ currentTarget: { files } }) => {
              if (files?.[0]) resumeWith(transfer.id, files[0]);
            }}
          />
        </>
      )}
      <IconButton
        icon="x"
        label={isActive ? t.cancel(name) : t.removeIt(name)}
        onClick={() => void remove(transfer)}
      />
    </li>
  );
}

function Status({ transfer }: { readonly transfer: Transfer }) {
  const t = texts.value;
  const { kind, name, size, loaded, state, error, file } = transfer;
  if (state === 'running') {
    const share = loaded === undefined ? undefined : loaded / Math.max(size, 1);
    return (
      <>
        <progress aria-label={t.progressOf(name)} max={1} value={share} />
        <span class="hint">
          {loaded === undefined || share === undefined
            ? kind === 'upload'
              ? t.encrypting
              : t.receiving
            : t.progress(formatSize(loaded), formatSize(size), formatShare(share))}
        </span>
      </>
    );
  }
  if (state === 'failed') {
    const problem = hasBadName(transfer) ? documentTexts.value.badName : explain(error);
    return <span class="problem">{problem}</span>;
  }
  const messages = {
    waiting: t.waiting,
    done: kind === 'upload' ? t.uploaded : t.saved,
    interrupted: kind === 'upload' && !file ? t.interrupted : t.interruptedHere,
  };
  return (
    <span class="hint">
      {messages[state]} · {formatSize(size)}
    </span>
  );
}

/** Whether the name cannot be encrypted. An upload with a checkpoint has an encrypted name. */
function hasBadName({ kind, error, checkpoint }: Transfer): boolean {
  return kind === 'upload' && !checkpoint && error instanceof UsageError;
}
