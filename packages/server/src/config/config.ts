import type { KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import { masterKey, readKeyFile } from './kinds.ts';
import {
  flagOf,
  type Key,
  keys,
  type Mode,
  negatedFlagOf,
  options,
  type Tier,
  type Values,
  variablesOf,
} from './options.ts';

type TierKey = Extract<
  Key,
  | `${Tier}${'RequestsPerHour' | 'RequestsPerMinute' | 'GraphqlPoints' | 'GraphqlQueries' | 'VaultQuota'}`
  | `account${'Quota' | 'Vaults' | 'Documents' | 'Shares' | 'Consents' | 'Keys' | 'Webhooks'}`
>;

/** What an account may hold. */
export interface AccountLimits {
  readonly bytes: number;
  readonly vaults: number;
  readonly documents: number;
  readonly shares: number;
  readonly consents: number;
  readonly keys: number;
  readonly webhooks: number;
}

/** What a server is started with: every option may be left out. Sizes in bytes, times in milliseconds. */
export type ConfigInput = {
  readonly [K in Exclude<Key, 'masterKey'>]?: Values[K] | undefined;
} & {
  /** Seals the stored secrets: 32 bytes, or their base64. */
  readonly masterKey?: string | Uint8Array | null | undefined;
};

/** The whole configuration, frozen. Sizes in bytes, times in milliseconds. */
export type Config = Omit<Values, TierKey | 'masterKeyFile'> & {
  readonly tierLimits: Readonly<
    Record<Tier, { readonly requestsPerHour: number; readonly requestsPerMinute: number }>
  >;
  readonly graphqlLimits: Readonly<
    Record<Tier, { readonly pointsPerHour: number; readonly queriesPerHour: number }>
  >;
  readonly vaultQuotas: Readonly<Record<Tier, number>>;
  readonly accountLimits: Readonly<Record<Tier, AccountLimits>>;
};

/** The configuration is wrong; `problems` has a sentence for every mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The configuration is not valid:', ...problems].join('\n  '));
    this.problems = problems;
  }
}

interface Given {
  /** The flag, variable or property it comes from. */
  readonly source: string;
  readonly value: unknown;
  /** As it was written. */
  readonly shown: unknown;
}

/**
 * The configuration of a process: flags first, then the environment (an empty variable counts as
 * none), then the defaults.
 *
 * @throws ConfigError naming every mistake.
 */
export function loadConfig(from: {
  /** The arguments, without those of node. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}): Config {
  const problems: string[] = [];
  const flags = readFlags(from.argv, problems);
  const given = (key: Key): Given | undefined => {
    const flag = flags.get(key);
    if (flag !== undefined) return fromText(key, flagOf(key), flag);
    const variable = variablesOf(key).find((name) => from.env[name]);
    return variable === undefined ? undefined : fromText(key, variable, from.env[variable] ?? '');
  };
  const mode = from.env.NODE_ENV === 'production' ? 'production' : 'development';
  return assemble(given, mode, problems);
}

/**
 * The configuration of a server started by a program.
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
 * The key that `master-key rotate` seals with from now on.
 *
 * @throws ConfigError when there is none, or it is malformed.
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

function fromText(key: Key, source: string, text: string): Given {
  return { source, value: options[key].parse(text), shown: text };
}

/** The text given with each flag; later ones count. */
function readFlags(argv: readonly string[], problems: string[]): Map<Key, string> {
  const found = new Map<Key, string>();
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [flag = '', inline] = argument.split(/=(.*)/s);
    const negated = keys.find((key) => flag === negatedFlagOf(key));
    const key = keys.find((candidate) => flag === flagOf(candidate));
    if (key && options[key].isSecret) {
      problems.push(
        `${flag}: other users can read command lines; set ${variablesOf(key)[0]} instead`,
      );
      // The next argument is the secret, which no message shows.
      if (inline === undefined && !rest[0]?.startsWith('--')) rest.shift();
    } else if (flag === '--development' || flag === '--production') {
      found.set('mode', flag.slice(2));
    } else if (negated && options[negated].isSwitch && inline === undefined) {
      found.set(negated, 'false');
    } else if (key === undefined) {
      problems.push(`${flag}: there is no such ${flag.startsWith('-') ? 'flag' : 'command'}`);
    } else if (inline !== undefined || options[key].isSwitch) {
      found.set(key, inline ?? 'true');
    } else if (rest[0] === undefined || rest[0].startsWith('--')) {
      problems.push(`${flag}: a value is missing`);
    } else {
      found.set(key, rest.shift() ?? '');
    }
  }
  return found;
}

function assemble(
  given: (key: Key) => Given | undefined,
  usualMode: Mode,
  problems: string[],
): Config {
  const pick = <K extends Key>(key: K, usual: Values[K]): Values[K] => {
    const found = given(key);
    if (!found) return usual;
    const value = options[key].read(found.value);
    if (value === undefined) {
      const shown = options[key].isSecret ? 'the value' : inspect(found.shown);
      problems.push(`${found.source}: ${shown} is not ${options[key].expects}`);
    }
    return (value ?? usual) as Values[K];
  };
  const mode = pick('mode', usualMode);
  const others = keys.filter((key) => key !== 'mode');
  const values = others.map((key) => [key, pick(key, options[key].defaults[mode])]);
  const { masterKeyFile, ...rest }: Values = { mode, ...Object.fromEntries(values) };
  const fileSource = given('masterKeyFile')?.source ?? '';
  if (masterKeyFile !== null && rest.masterKey !== null) {
    problems.push(onlyOne(given('masterKey')?.source ?? '', fileSource));
  }
  const found = masterKeyFile === null ? { key: rest.masterKey } : readKeyFile(masterKeyFile);
  if ('problem' in found) problems.push(`${fileSource}: ${found.problem}`);
  else if (problems.length === 0) return deepFreeze(arrange({ ...rest, masterKey: found.key }));
  throw new ConfigError(problems);
}

/** The settings of each tier by tier, the rest as it is. */
function arrange(values: Omit<Values, 'masterKeyFile'>): Config {
  const {
    freeRequestsPerHour,
    freeRequestsPerMinute,
    freeGraphqlPoints,
    freeGraphqlQueries,
    freeVaultQuota,
    paidRequestsPerHour,
    paidRequestsPerMinute,
    paidGraphqlPoints,
    paidVaultQuota,
    enterpriseRequestsPerHour,
    enterpriseRequestsPerMinute,
    enterpriseGraphqlPoints,
    enterpriseVaultQuota,
    accountQuota,
    accountVaults,
    accountDocuments,
    accountShares,
    accountConsents,
    accountKeys,
    accountWebhooks,
    ...rest
  } = values;
  const accountLimitsOf = (tier: Tier): AccountLimits => ({
    bytes: accountQuota[tier],
    vaults: accountVaults[tier],
    documents: accountDocuments[tier],
    shares: accountShares[tier],
    consents: accountConsents[tier],
    keys: accountKeys[tier],
    webhooks: accountWebhooks[tier],
  });
  return {
    ...rest,
    tierLimits: {
      free: { requestsPerHour: freeRequestsPerHour, requestsPerMinute: freeRequestsPerMinute },
      paid: { requestsPerHour: paidRequestsPerHour, requestsPerMinute: paidRequestsPerMinute },
      enterprise: {
        requestsPerHour: enterpriseRequestsPerHour,
        requestsPerMinute: enterpriseRequestsPerMinute,
      },
    },
    graphqlLimits: {
      free: { pointsPerHour: freeGraphqlPoints, queriesPerHour: freeGraphqlQueries },
      paid: { pointsPerHour: paidGraphqlPoints, queriesPerHour: Infinity },
      enterprise: { pointsPerHour: enterpriseGraphqlPoints, queriesPerHour: Infinity },
    },
    vaultQuotas: { free: freeVaultQuota, paid: paidVaultQuota, enterprise: enterpriseVaultQuota },
    accountLimits: {
      free: accountLimitsOf('free'),
      paid: accountLimitsOf('paid'),
      enterprise: accountLimitsOf('enterprise'),
    },
  };
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) deepFreeze(part);
  }
  return Object.freeze(value);
}
