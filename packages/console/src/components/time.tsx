import { formatDate, formatDistance, formatTime } from '../messages/format.ts';

/** How a moment is shown: its day, its day with the time, or its distance to now. */
export type TimeForm = 'day' | 'time' | 'distance';

interface TimeProps {
  readonly at: string | null;
  /** @default time */
  readonly form?: TimeForm;
  /** In the place of null. @default a dash */
  readonly none?: string;
}

/** A moment. Its tooltip has another form. */
export function Time({ at, form = 'time', none = '–' }: TimeProps) {
  if (at === null) return <span class="soft">{none}</span>;
  const shown = { day: formatDate, time: formatTime, distance: formatDistance }[form](at);
  return (
    <time dateTime={at} title={form === 'time' ? formatDistance(at) : formatTime(at)}>
      {shown}
    </time>
  );
}
