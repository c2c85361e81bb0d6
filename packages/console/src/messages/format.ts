import { language } from './language.ts';

type Formatter = Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat;

/** Formatters of the present language. They are slow to make, so each of them is made once. */
const made = new Map<string, Formatter>();

/** Returns the formatter of a class with some options. */
function formatter<F extends Formatter, O>(
  Class: new (locale: string, options: O) => F,
  options: O,
): F {
  const locale = localeOf(language.value);
  const key = `${Class.name} ${locale} ${JSON.stringify(options)}`;
  const known = made.get(key) ?? new Class(locale, options);
  made.set(key, known);
  return known as F;
}

/** The user's own variant of the language, such as `en-GB`, for its dates and numbers. */
function localeOf(chosen: string): string {
  return navigator.languages.find((locale) => locale.startsWith(chosen)) ?? chosen;
}

type Moment = string | number | Date;

function formatMoment(moment: Moment, options: Intl.DateTimeFormatOptions): string {
  return formatter(Intl.DateTimeFormat, options).format(new Date(moment));
}

/** `23 Nov 2026` */
export function formatDate(moment: Moment): string {
  return formatMoment(moment, { dateStyle: 'medium' });
}

/** `23 Nov 2026`, of a day of the service, which begins at midnight UTC */
export function formatDay(start: string): string {
  return formatMoment(start, { dateStyle: 'medium', timeZone: 'UTC' });
}

/** `23 Nov 2026, 14:05` */
export function formatTime(moment: Moment): string {
  return formatMoment(moment, { dateStyle: 'medium', timeStyle: 'short' });
}

const steps = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const;

/** `3 minutes ago`, `in 2 days` */
export function formatDistance(moment: Moment, now = Date.now()): string {
  let count = (new Date(moment).getTime() - now) / 1000;
  const format = formatter(Intl.RelativeTimeFormat, { numeric: 'auto' });
  for (const [unit, size] of steps) {
    if (Math.abs(Math.round(count)) < size) return format.format(Math.round(count), unit);
    count /= size;
  }
  return '';
}

/** `12,345` */
export function formatNumber(value: number): string {
  return formatter(Intl.NumberFormat, {}).format(value);
}

/** `1 document`, `12,345 documents` */
export function counted(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** `42 %` of a share from 0 to 1 */
export function formatShare(value: number): string {
  return formatter(Intl.NumberFormat, { style: 'percent', maximumFractionDigits: 1 }).format(value);
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** `1.4 MB` of a number of bytes */
export function formatSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const unit = units[power] ?? 'byte';
  const value = bytes / 1000 ** power;
  return formatter(Intl.NumberFormat, {
    style: 'unit',
    unit,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && power > 0 ? 1 : 0,
  }).format(value);
}

/** `0:42`, `12:05` of a number of seconds */
export function formatCountdown(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}
