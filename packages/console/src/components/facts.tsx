import type { ComponentChildren } from 'preact';

interface Fact {
  readonly label: string;
  readonly value: ComponentChildren;
}

interface FactsProps {
  readonly facts: readonly Fact[];
  /** @default facts */
  readonly class?: string;
}

/** Names with their values, in two columns. */
export function Facts({ facts, class: name = 'facts' }: FactsProps) {
  return (
    <dl class={name}>
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
  return <Facts class="figures card" facts={facts} />;
}

interface UsedProps {
  readonly used: number;
  readonly limit: number;
  /** Names both. */
  readonly label: string;
}

/** The used part of a limit, as a bar. */
export function Used({ used, limit, label }: UsedProps) {
  return (
    <meter aria-label={label} min={0} max={limit} high={limit * 0.8} optimum={0} value={used} />
  );
}

interface LinesProps {
  /** What names the row. */
  readonly children: ComponentChildren;
  /** The second line. @default none */
  readonly below: ComponentChildren;
  readonly isMono?: boolean;
  /** The tooltip of the second line. */
  readonly title?: string;
}

/** Two lines in a cell of a table. */
export function Lines({ children, below, isMono = false, title }: LinesProps) {
  return (
    <span class="cell-lines">
      {children}
      {below && (
        <span class={isMono ? 'soft mono truncate' : 'soft truncate'} title={title}>
          {below}
        </span>
      )}
    </span>
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
