import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PageProps {
  /** The heading, and the title of the window. */
  readonly title: string;
  readonly description?: ComponentChildren;
  /** Where the screen belongs: links to the screens above it. */
  readonly above?: ComponentChildren;
  /** The buttons of the screen, the most important one last. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Whether a screen was shown before: the first one leaves the focus at the start of the page. */
let isLaterPage = false;

/** A screen with its heading. The heading gets the focus, so that screen readers announce the change. */
export function Page({ title, description, above, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isLaterPage) heading.current?.focus();
    isLaterPage = true;
  }, []);
  useEffect(() => {
    document.title = `${title} – Document Vault`;
  }, [title]);
  return (
    <div class="page">
      <header class="page-header">
        <div class="page-title">
          {above && <nav class="above">{above}</nav>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {description && <p class="soft">{description}</p>}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Moves the focus to the heading of the screen. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}
