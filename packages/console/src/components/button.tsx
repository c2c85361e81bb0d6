import type { AllHTMLAttributes, ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { common } from '../messages/common.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-names.ts';

interface ButtonProps extends Omit<AllHTMLAttributes<HTMLButtonElement>, 'icon' | 'label'> {
  readonly icon?: IconName | undefined;
  /** @default secondary */
  readonly kind?: 'primary' | 'secondary' | 'danger' | 'quiet';
  /** Shows a spinner and ignores clicks. */
  readonly isBusy?: boolean | undefined;
  readonly children?: ComponentChildren;
}

export function Button({
  icon,
  kind = 'secondary',
  isBusy,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind}`}
      // Not `disabled`, which would take the focus away.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
      {...(rest as object)}
    >
      {isBusy ? <span class="spinner" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  readonly icon: IconName;
  /** The name of the button, which is also its tooltip. */
  readonly label: string;
}

/** A button without text. */
export function IconButton({ label, icon, kind = 'quiet', ...rest }: IconButtonProps) {
  return (
    <Button
      class={`button icon-only ${kind}`}
      icon={icon}
      aria-label={label}
      title={label}
      {...rest}
    />
  );
}

/** The buttons at the end of a dialog or a form. */
export function Actions({ children }: { readonly children: ComponentChildren }) {
  return <div class="actions">{children}</div>;
}

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** @default secondary */
  readonly kind?: 'primary' | 'secondary';
}

/** Copies a text, and says so for two seconds. */
export function CopyButton({ text, label, kind = 'secondary' }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const t = common.value;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without https there is no clipboard, and the user can refuse it.
      setFailed(true);
      return;
    }
    setFailed(false);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <>
      <Button kind={kind} icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
        {isCopied ? t.copied : (label ?? t.copy)}
      </Button>
      <span class="visually-hidden" role="status">
        {isCopied && t.copied}
      </span>
      {hasFailed && (
        <span class="problem" role="alert">
          {t.copyFailed}
        </span>
      )}
    </>
  );
}
