import { language } from './language.ts';

/** Formats of the present language. Their objects are slow to make, so each of them is made once. */
const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>();

function once<F extends Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat>(
  name: string,
  make: (locale: string) => F,
): F {
  const locale = localeOf(language.value);
  const key = `${locale} ${name}`;
  const known = made.get(key) ?? make(locale);
  made.set(key, known);
  return known as F;
}

/** The user's own variant of the language, such as `en-GB`, for its dates and numbers. */
function localeOf(chosen: string): string {
  return navigator.languages.find((locale) => locale.startsWith(chosen)) ?? chosen;
}

type Moment = string | number | Date;

/** `23 Nov 2026` */
export function formatDate(moment: Moment): string {
  const make = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  return once('date', make).format(new Date(moment));
}

/** `23 Nov 2026`, of a day of the service, which begins at midnight UTC */
export function formatDay(start: string): string {
  const options = { dateStyle: 'medium', timeZone: 'UTC' } as const;
  return once('day', (locale) => new Intl.DateTimeFormat(locale, options)).format(new Date(start));
}

/** `23 Nov 2026, 14:05` */
export function formatTime(moment: Moment): string {
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const;
  return once('time', (locale) => new Intl.DateTimeFormat(locale, options)).format(
    new Date(moment),
  );
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
  const format = once(
    'distance',
    (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
  );
  for (const [unit, size] of steps) {
    if (Math.abs(Math.round(count)) < size) return format.format(Math.round(count), unit);
    count /= size;
  }
  return '';
}

/** `12,345` */
export function formatNumber(value: number): string {
  return once('number', (locale) => new Intl.NumberFormat(locale)).format(value);
}

/** `1 document`, `12,345 documents` */
export function counted(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** `42 %` of a share from 0 to 1 */
export function formatShare(value: number): string {
  const options = { style: 'percent', maximumFractionDigits: 1 } as const;
  return once('share', (locale) => new Intl.NumberFormat(locale, options)).format(value);
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** `1.4 MB` of a number of bytes */
export function formatSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const unit = units[power] ?? 'byte';
  const value = bytes / 1000 ** power;
  const options = {
    style: 'unit',
    unit,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && power > 0 ? 1 : 0,
  } as const;
  const name = `size ${unit} ${options.maximumFractionDigits}`;
  return once(name, (locale) => new Intl.NumberFormat(locale, options)).format(value);
}

/** `0:42`, `12:05` of a number of seconds */
export function formatCountdown(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}
