import type { KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import { type ByTier, masterKey, readKeyFile } from './kinds.ts';
import {
  flagOf,
  type Key,
  keys,
  type Mode,
  negatedFlagOf,
  type Option,
  options,
  type Values,
  variablesOf,
} from './options.ts';

/** An option as programs pass it. Tiers that are not named keep their default. */
type Input<T> = T extends ByTier<infer Item> ? Partial<ByTier<Item>> : T;

/** The options of a server, all optional. Sizes in bytes, times in milliseconds. */
export type ConfigInput = {
  readonly [K in Exclude<Key, 'masterKey'>]?: Input<Values[K]> | undefined;
} & {
  /** Key that seals the stored secrets: 32 bytes, or their base64. */
  readonly masterKey?: string | Uint8Array | null | undefined;
};

/** The whole configuration, frozen. Sizes in bytes, times in milliseconds. */
export type Config = Values;

/** The configuration is invalid; `problems` has a sentence for every mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The configuration is not valid:', ...problems].join('\n  '));
    this.problems = problems;
  }
}

interface Given {
  /** Its flag, variable or property. */
  readonly source: string;
  readonly value: unknown;
  /** The value as it was given. */
  readonly shown: unknown;
}

/**
 * Loads the configuration of a process. Flags override environment variables, which override defaults. An
 * empty variable counts as unset.
 *
 * @throws ConfigError naming every mistake.
 */
export function loadConfig(from: {
  /** The arguments, without those of node. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The mode without flag and variable. Default `development`. */
  readonly defaultMode?: Mode;
}): Config {
  const { argv, env, defaultMode = 'development' } = from;
  const problems = unknownVariables(env).map((name) => `${name}: there is no such variable`);
  const flags = readFlags(argv, problems);
  const given = (key: Key): Given | undefined => {
    const flag = flags.get(key);
    if (flag !== undefined) return fromText(key, flagOf(key), flag);
    const variable = variablesOf(key).find((name) => env[name] && !isOfService(name, env[name]));
    return variable === undefined ? undefined : fromText(key, variable, env[variable] ?? '');
  };
  return assemble(given, env.NODE_ENV === 'production' ? 'production' : defaultMode, problems);
}

/**
 * Resolves the configuration of a server that a program starts.
 *
 * @throws ConfigError naming every mistake.
 */
export function resolveConfig(input: ConfigInput): Config {
  const unknown = Object.keys(input).filter((key) => !Object.hasOwn(options, key));
  const given = (key: Key): Given | undefined => {
    const value: unknown = input[key];
    return value === undefined ? undefined : { source: key, value, shown: value };
  };
  const problems = unknown.map((key) => `${key}: there is no such option`);
  return assemble(given, 'development', problems);
}

/**
 * Loads the new key of `master-key rotate`.
 *
 * @throws ConfigError when it is missing or malformed.
 */
export function loadNewMasterKey(env: Readonly<Record<string, string | undefined>>): KeyObject {
  const [variable, fileVariable] = newMasterKeyVariables;
  const { [variable]: given, [fileVariable]: file } = env;
  if (given && file) throw new ConfigError([onlyOne(variable, fileVariable)]);
  if (file) {
    const found = readKeyFile(file);
    if ('problem' in found) throw new ConfigError([`${fileVariable}: ${found.problem}`]);
    return found.key;
  }
  if (!given) throw new ConfigError([`${variable} or ${fileVariable} must name the new key`]);
  const key = masterKey.read(given);
  if (!key) throw new ConfigError([`${variable}: the value is not ${masterKey.expects}`]);
  return key;
}

const newMasterKeyVariables = [
  'DOCUMENT_VAULT_MASTER_KEY_NEW',
  'DOCUMENT_VAULT_MASTER_KEY_NEW_FILE',
] as const;

const onlyOne = (one: string, other: string) => `${one} and ${other}: only one of them can be set`;

const prefix = 'DOCUMENT_VAULT_';

const knownVariables: ReadonlySet<string> = new Set([
  ...keys.flatMap(variablesOf),
  ...newMasterKeyVariables,
]);

/**
 * The variables that Kubernetes sets in every container for a service whose name begins with
 * `document-vault` (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
 */
const variableOfService =
  /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;

/** Returns the variables with the prefix of this server that name no option. */
function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).filter(
    (name) =>
      name.startsWith(prefix) &&
      env[name] &&
      !knownVariables.has(name) &&
      !variableOfService.test(name),
  );
}

/** Kubernetes sets `DOCUMENT_VAULT_PORT` to an address for a service named `document-vault`. */
function isOfService(name: string, value = ''): boolean {
  return variableOfService.test(name) && /^(tcp|udp|sctp):\/\//.test(value);
}

function fromText(key: Key, source: string, text: string): Given {
  return { source, value: options[key].parse(text), shown: text };
}

/** Reads the text of each flag. A repeated flag overrides earlier ones, except for the mode. */
function readFlags(argv: readonly string[], problems: string[]): Map<Key, string> {
  const found = new Map<Key, string>();
  const set = (key: Key, flag: string, value: string) => {
    const earlier = found.get(key);
    if (key === 'mode' && earlier !== undefined && earlier !== value) {
      problems.push(`${flag}: an earlier flag selects the mode ${earlier}; pass one of them`);
    }
    found.set(key, value);
  };
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [flag = '', inline] = argument.split(/=(.*)/s);
    const negated = keys.find((key) => flag === negatedFlagOf(key));
    const key = keys.find((candidate) => flag === flagOf(candidate));
    if (key && options[key].isSecret) {
      problems.push(
        `${flag}: other users can read command lines; set ${variablesOf(key)[0]} instead`,
      );
      // The next argument is the secret. No message may show it.
      if (inline === undefined && !rest[0]?.startsWith('--')) rest.shift();
    } else if (flag === '--development' || flag === '--production') {
      set('mode', flag, flag.slice(2));
    } else if (negated && options[negated].isSwitch && inline === undefined) {
      set(negated, flag, 'false');
    } else if (key === undefined) {
      problems.push(`${flag}: there is no such ${flag.startsWith('-') ? 'flag' : 'command'}`);
    } else if (inline !== undefined || options[key].isSwitch) {
      set(key, flag, inline ?? 'true');
    } else if (rest[0] === undefined || rest[0].startsWith('--')) {
      problems.push(`${flag}: a value is missing`);
    } else {
      set(key, flag, rest.shift() ?? '');
    }
  }
  return found;
}

function assemble(
  given: (key: Key) => Given | undefined,
  defaultMode: Mode,
  problems: string[],
): Config {
  const pick = <K extends Key>(key: K, defaultValue: Values[K]): Values[K] => {
    const found = given(key);
    if (!found) return defaultValue;
    const option: Option<unknown> = options[key];
    const value = option.read(found.value, defaultValue);
    if (value === undefined) {
      const shown = option.isSecret ? 'the value' : inspect(found.shown);
      problems.push(`${found.source}: ${shown} is not ${option.expects}`);
    }
    return (value ?? defaultValue) as Values[K];
  };
  const mode = pick('mode', defaultMode);
  const others = keys.filter((key) => key !== 'mode');
  const values = others.map((key) => [key, pick(key, options[key].defaults[mode])]);
  const read: Values = { mode, ...Object.fromEntries(values) };
  const { masterKeyFile } = read;
  const fileSource = given('masterKeyFile')?.source ?? '';
  if (masterKeyFile !== null && read.masterKey !== null) {
    problems.push(onlyOne(given('masterKey')?.source ?? '', fileSource));
  }
  const found = masterKeyFile === null ? { key: read.masterKey } : readKeyFile(masterKeyFile);
  if ('problem' in found) problems.push(`${fileSource}: ${found.problem}`);
  else if (problems.length === 0) return deepFreeze({ ...read, masterKey: found.key });
  throw new ConfigError(problems);
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) deepFreeze(part);
  }
  return Object.freeze(value);
}

/** Returns where contents are stored; null: in the database. */
export function objectStoreOf({ contents, contentsEndpoint, contentsRegion }: Config) {
  return contents && { ...contents, endpoint: contentsEndpoint, region: contentsRegion };
}

/** Names the database for people, without user and password. */
export function databaseName({ data, databaseUrl }: Pick<Config, 'data' | 'databaseUrl'>): string {
  if (databaseUrl === null) return data;
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host || 'localhost'}, database ${decodeURIComponent(pathname.slice(1))}`;
}

/** The option with which a command finds the database, after a space. The URL of PostgreSQL is in the environment. */
export function databaseFlag({ data, databaseUrl }: Pick<Config, 'data' | 'databaseUrl'>): string {
  return databaseUrl === null ? ` --data ${data}` : '';
}
