import { createSecretKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Tier } from '../generated/rules/limits.ts';

/** The type of an option. */
export interface Kind<T> {
  /** Completes "… is not". */
  readonly expects: string;
  /** Converts the text of a flag or variable. Returns the text itself when it has the wrong form. */
  parse(text: string): unknown;
  /** Returns the value in its normal form, completed by the defaults; undefined for an invalid value. */
  read(value: unknown, defaults?: T): T | undefined;
  /** Formats the value as text for `parse`. */
  show(value: T): string;
}

export const text: Kind<string> = {
  expects: 'a non-empty text',
  parse: (given) => given,
  read: (value) => (typeof value === 'string' && value.trim() !== '' ? value : undefined),
  show: (value) => value,
};

/** Accepts `none` too, which is read as null. */
export function optional<T>(kind: Kind<T>): Kind<T | null> {
  return {
    expects: `${kind.expects}, or none`,
    parse: (given) => (given === 'none' ? null : kind.parse(given)),
    read: (value) => (value === null ? null : kind.read(value)),
    show: (value) => (value === null ? 'none' : kind.show(value)),
  };
}

export const boolean: Kind<boolean> = {
  expects: 'true or false',
  parse: (given) => ({ true: true, false: false, 1: true, 0: false })[given] ?? given,
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  show: String,
};

export function choice<const T extends string>(...values: readonly T[]): Kind<T> {
  return {
    expects: `one of ${values.join(', ')}`,
    parse: (given) => given,
    read: (value) => values.find((allowed) => allowed === value),
    show: (value) => value,
  };
}

function between(value: unknown, min: number, max: number): number | undefined {
  const allowed = Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
  return allowed ? Number(value) : undefined;
}

export function integer(min: number, max = 1_000_000_000): Kind<number> {
  return {
    expects: `a whole number from ${min} to ${max}`,
    parse: (given) => (/^\d+$/.test(given) ? Number(given) : given),
    read: (value) => between(value, min, max),
    show: String,
  };
}

/** A number with a unit. Programs pass it in the first unit, which is the smallest. */
function quantity(
  example: string,
  units: Readonly<Record<string, number>>,
  [min, max]: readonly [number, number],
): Kind<number> {
  const show = (value: number) => {
    const [unit = '', factor = 1] =
      Object.entries(units).findLast(([, size]) => value > 0 && value % size === 0) ?? [];
    return `${value / factor}${unit}`;
  };
  return {
    expects: `${example}, from ${show(min)} to ${show(max)}`,
    parse: (given) => {
      const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(given) ?? [];
      const factor = units[unit];
      return number === undefined || factor === undefined ? given : Number(number) * factor;
    },
    read: (value) => between(value, min, max),
    show,
  };
}

const durationUnits = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const sizeUnits = { '': 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/** A duration in milliseconds; in text always with a unit. */
export const duration = (min: number, max: number) =>
  quantity('a duration such as 10s or 250ms', durationUnits, [min, max]);

/** A size in bytes; in text with or without a unit. */
export const size = (max: number, min = 1) =>
  quantity('a size such as 32MiB', sizeUnits, [min, max]);

/** Accepts `auto` too, which is read as null: the server chooses the value. */
export function automatic<T>(kind: Kind<T>): Kind<T | null> {
  return {
    expects: `auto or ${kind.expects}`,
    parse: (given) => (given === 'auto' ? null : kind.parse(given)),
    read: (value) => (value === null ? null : kind.read(value)),
    show: (value) => (value === null ? 'auto' : kind.show(value)),
  };
}

export function list<T>(item: Kind<T>): Kind<readonly T[]> {
  return {
    expects: `a list separated by commas, or none; each item ${item.expects}`,
    parse: (given) =>
      given === 'none' ? [] : given.split(',').map((part) => item.parse(part.trim())),
    read: (value) => {
      if (!Array.isArray(value)) return undefined;
      const items = value.map((part) => item.read(part)).filter((part) => part !== undefined);
      return items.length === value.length ? items : undefined;
    },
    show: (value) => value.map((part) => item.show(part)).join(',') || 'none',
  };
}

export const tiers = ['free', 'paid', 'enterprise'] as const satisfies readonly Tier[];

export type ByTier<T> = Readonly<Record<Tier, T>>;

/** One value per tier; in text in the order free, paid, enterprise. Programs can name some of the tiers. */
export function byTier<T>(item: Kind<T>): Kind<ByTier<T>> {
  return {
    expects: `three values separated by commas, for free, paid and enterprise; each ${item.expects}`,
    parse: (given) => {
      const parts = given.split(',').map((part) => item.parse(part.trim()));
      if (parts.length !== tiers.length) return given;
      return Object.fromEntries(tiers.map((tier, index) => [tier, parts[index]]));
    },
    read: (value, defaults) => {
      if (typeof value !== 'object' || value === null) return undefined;
      const given = Object.entries({ ...defaults, ...value });
      const items = given.map(([tier, each]) => [tier, item.read(each)] as const);
      const isValid =
        items.length === tiers.length && items.every(([, read]) => read !== undefined);
      return isValid ? (Object.fromEntries(items) as ByTier<T>) : undefined;
    },
    show: (value) => tiers.map((tier) => item.show(value[tier])).join(','),
  };
}

function httpUrl(value: unknown): URL | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const { protocol, username, password, search, hash } = url ?? {};
  const isPlain = /^https?:$/.test(protocol ?? '') && !username && !password && !search && !hash;
  return url && isPlain ? url : undefined;
}

/** Returns an address without slashes at its end, so that paths can follow it. */
function httpAddress(value: unknown): string | undefined {
  const url = httpUrl(value);
  if (!url) return undefined;
  // Not `href`: that keeps the `?` of an empty query.
  let address = url.origin + url.pathname;
  while (address.endsWith('/')) address = address.slice(0, -1);
  return address;
}

export const baseUrl: Kind<string | null> = {
  expects: 'an http or https URL without credentials, query and fragment',
  parse: (given) => given,
  read: (value) => (value === null ? null : httpAddress(value)),
  show: (value) => value ?? 'the address it listens on',
};

/** A bucket with the prefix of its keys. */
export interface Bucket {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
}

/** Names of buckets, and keys without characters that proxies and S3 services treat differently. */
const bucketUrl =
  /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)\/?$/;

/** Where contents are stored; null is the database. */
export const contentsPlace: Kind<Bucket | null> = {
  expects: 'database, or a bucket with or without a prefix such as s3://bucket/prefix',
  parse: (given) => (given === 'database' ? null : given),
  read(value) {
    if (value === null) return null;
    const text = typeof value === 'object' ? contentsPlace.show(value as Bucket) : value;
    const [, bucket, path] = typeof text === 'string' ? (bucketUrl.exec(text) ?? []) : [];
    if (bucket === undefined || path === undefined) return undefined;
    return { bucket, prefix: path === '' ? '' : `${path.slice(1)}/` };
  },
  show: (value) => (value === null ? 'database' : `s3://${value.bucket}/${value.prefix}`),
};

export const endpoint = optional({
  ...text,
  expects: 'an http or https URL without credentials, query and fragment',
  read: httpAddress,
});

export const origin: Kind<string> = {
  ...text,
  expects: '* or an origin such as https://app.example',
  read: (value) => {
    const found = value === '*' ? '*' : httpUrl(value)?.origin;
    return found === value ? found : undefined;
  },
};

export const network: Kind<string> = {
  ...text,
  expects: 'a network such as 10.0.0.0/8 or 2001:db8::/32, or an address',
  read: (value) => {
    if (typeof value !== 'string' || value.includes('%')) return undefined;
    const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
    const width = { 0: undefined, 4: 32, 6: 128 }[isIP(address)];
    if (width === undefined || Number(bits ?? width) > width) return undefined;
    return `${address}/${bits ?? width}`;
  },
};

/** Bytes of a master key. */
const length = 32;

/** Standard base64 or base64url of 32 bytes. */
const encoded = /^[A-Za-z0-9+/_-]{43}=?$/;

/** A master key. Its KeyObject keeps the bytes out of `inspect` and JSON, and so out of logs and errors. */
export const masterKey = optional<KeyObject>({
  expects: '32 bytes in base64, as `document-vault master-key generate` prints them',
  parse: (given) => given,
  read(value) {
    if (value instanceof Uint8Array) {
      return value.byteLength === length ? createSecretKey(value) : undefined;
    }
    if (typeof value !== 'string' || !encoded.test(value)) return undefined;
    return createSecretKey(Buffer.from(value, 'base64'));
  },
  show: () => 'set',
});

/** The URL of a PostgreSQL database. It contains a password. */
export const databaseUrl = optional({
  ...text,
  expects: 'a URL such as `postgres://user:password@host:5432/database`',
  read(value) {
    if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
    const { protocol, pathname } = new URL(value);
    const isDatabase = /^postgres(ql)?:$/.test(protocol) && pathname.length > 1;
    return isDatabase ? value : undefined;
  },
});

export type KeyFile = { readonly key: KeyObject } | { readonly problem: string };

/** Reads the master key of a file, and ignores white space around it. */
export function readKeyFile(path: string): KeyFile {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    return { problem: `the file cannot be read: ${(error as Error).message}` };
  }
  const key = masterKey.read(content.trim());
  return key ? { key } : { problem: `the content of ${path} is not ${masterKey.expects}` };
}
