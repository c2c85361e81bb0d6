import type { ComponentChildren } from 'preact';
import { common } from '../messages/common.ts';
import { explain } from '../messages/errors.ts';
import type { Loaded } from '../service/loading.ts';
import { Button, CopyButton } from './button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-names.ts';

const noteIcons = {
  info: 'info',
  success: 'circle-check',
  warning: 'triangle-alert',
  error: 'circle-alert',
} as const satisfies Record<string, IconName>;

interface NoteProps {
  readonly kind: keyof typeof noteIcons;
  readonly children: ComponentChildren;
}

/** A message inside a page or a form. Errors are announced. */
export function Note({ kind, children }: NoteProps) {
  return (
    <div class={`note ${kind}`} role={kind === 'error' ? 'alert' : undefined}>
      <Icon name={noteIcons[kind]} />
      <div class="note-text">{children}</div>
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** What the list is for, and how it gets its first item. */
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** In the place of a list without items. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

interface FailedProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** In the place of data that could not be loaded. */
export function Failed({ error, onRetry }: FailedProps) {
  const t = common.value;
  return (
    <div role="alert">
      <Empty
        icon="triangle-alert"
        title={t.failedTitle}
        action={
          <Button icon="refresh-cw" onClick={onRetry}>
            {t.retry}
          </Button>
        }
      >
        {explain(error)}
      </Empty>
    </div>
  );
}

interface AwaitProps<T> {
  readonly loaded: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows data once it is there, and until then that it is loaded, or why it cannot be. */
export function Await<T>({ loaded: { data, error, reload }, children }: AwaitProps<T>) {
  if (data !== undefined) return <>{children(data)}</>;
  return error === undefined ? <Loading /> : <Failed error={error} onRetry={reload} />;
}

/** Shows that something is on its way. */
export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="spinner" />
      <span class="visually-hidden">{common.value.loading}</span>
    </div>
  );
}

interface BadgeProps {
  /** @default neutral */
  readonly kind?: 'neutral' | 'success' | 'warning' | 'error' | 'accent';
  readonly children: ComponentChildren;
}

/** A short state. */
export function Badge({ kind = 'neutral', children }: BadgeProps) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** A secret that the service returns only once. */
export function ShownOnce({ label, secret }: { readonly label: string; readonly secret: string }) {
  return (
    <div class="stack">
      <Note kind="warning">{common.value.shownOnce}</Note>
      <div class="secret">
        <span class="soft">{label}</span>
        <code>{secret}</code>
        <CopyButton text={secret} />
      </div>
    </div>
  );
}
