import type { ComponentChildren } from 'preact';
import { formatDistance, formatTime } from '../messages/format.ts';

interface Fact {
  readonly label: string;
  readonly value: ComponentChildren;
}

/** Names with their values, in two columns. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Figures side by side, which are read at a glance. */
export function Figures({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="figures card">
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface TimeProps {
  /** Null shows a dash. */
  readonly at: string | null;
  /** Shows the distance to now. @default false */
  readonly isDistance?: boolean;
}

/** A moment. Its tooltip has the other form. */
export function Time({ at, isDistance = false }: TimeProps) {
  if (at === null) return <span class="soft">–</span>;
  const [shown, title] = [formatTime(at), formatDistance(at)];
  return (
    <time dateTime={at} title={isDistance ? shown : title}>
      {isDistance ? title : shown}
    </time>
  );
}

interface SectionProps {
  readonly title: string;
  readonly description?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a screen with a heading. */
export function Section({ title, description, actions, children }: SectionProps) {
  return (
    <section class="section">
      <header class="section-header">
        <div>
          <h2>{title}</h2>
          {description && <p class="soft">{description}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
}
