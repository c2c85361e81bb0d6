/** Command-line arguments of the benchmarks. */
import { parseArgs } from 'node:util';
import { peers } from './peers/index.ts';
import { type ScenarioName, scenarioNames } from './scenarios.ts';

/** A mistake on the command line, in a sentence. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

const parts = [...scenarioNames, 'start', 'logins', 'graphql'] as const;
type Part = (typeof parts)[number];

const peerNames = peers.map(({ name }) => name);

export const helpText = `npm run bench                            all of these but profile and oauth, with the figures for bench/README.md
npm run bench -- [options]               this server beside its peers
npm run bench -- profile [options]       where this server's processor time goes
npm run bench -- deliveries [options]    webhook deliveries beside a bare loop of POSTs
npm run bench -- verify [options]        verification of webhooks beside other packages
npm run bench -- databases [options]     SQLite beside PostgreSQL, with one process and with two
npm run bench -- sdk [options]           the client beside bare fetch and other clients
npm run bench -- oauth [options]         requests by tokens of apps beside sessions, and starts with OAuth
npm run bench -- figures                 the figures of the last runs for bench/README.md

  --seconds N      of load for every peer and scenario; default 4
  --connections N  default 50; not for deliveries, verify and sdk

beside its peers
  --only LIST      of ${parts.join(', ')}; default all
  --peers LIST     of ${peerNames.slice(1).join(', ')}; default all
  --starts N       starts that the median is taken of; default 5

profile
  --only LIST      of ${scenarioNames.join(', ')}; default all
  --folder PATH    for the profiles, which browsers' tools open; default bench/profiles
  --top N          rows of a table; default 25

deliveries
  --backlog N      deliveries that wait when the webhooks are switched on; default 100000

databases, with an empty PostgreSQL database in BENCH_DATABASE_URL
  --backlog N      deliveries that wait when the webhooks are switched on; default 10000

verify
  --seconds N      for every verifier and body; default 1

sdk
  --seconds N      for every client; default 2

oauth
  --seconds N      for each token; default 10
  --rounds N       by each token, in turns; default 10
  --starts N       starts that the median is taken of; default 5

A command exits with 1 when a target that it measured is not met. Figures count as ratios within one run;
bench/README.md says how to read them.`;

const common = {
  seconds: { type: 'string', default: '4' },
  connections: { type: 'string', default: '50' },
  only: { type: 'string' },
} as const;

export interface CompareArguments {
  readonly seconds: number;
  readonly connections: number;
  readonly only: readonly Part[];
  /** Names; this server is always among them. */
  readonly peers: readonly string[];
  readonly starts: number;
}

export function parseCompareArguments(args: readonly string[]): CompareArguments {
  const { values } = parse(args, {
    ...common,
    peers: { type: 'string' },
    starts: { type: 'string', default: '5' },
  });
  return {
    seconds: positive('--seconds', values.seconds),
    connections: count('--connections', values.connections),
    only: chosen('--only', values.only, parts),
    peers: [...peerNames.slice(0, 1), ...chosen('--peers', values.peers, peerNames)],
    starts: count('--starts', values.starts),
  };
}

export interface ProfileArguments {
  readonly seconds: number;
  readonly connections: number;
  readonly only: readonly ScenarioName[];
  /** Where the profiles are written. */
  readonly folder: string;
  /** Rows of a table. */
  readonly top: number;
}

export function parseProfileArguments(args: readonly string[]): ProfileArguments {
  const { values } = parse(args, {
    ...common,
    folder: { type: 'string', default: 'bench/profiles' },
    top: { type: 'string', default: '25' },
  });
  return {
    seconds: positive('--seconds', values.seconds),
    connections: count('--connections', values.connections),
    only: chosen('--only', values.only, scenarioNames),
    folder: values.folder,
    top: count('--top', values.top),
  };
}

export interface DeliveriesArguments {
  readonly seconds: number;
  /** Deliveries that wait when the webhooks are switched on. */
  readonly backlog: number;
}

export function parseDeliveriesArguments(args: readonly string[]): DeliveriesArguments {
  const { values } = parse(args, {
    seconds: common.seconds,
    backlog: { type: 'string', default: '100000' },
  });
  return {
    seconds: positive('--seconds', values.seconds),
    backlog: count('--backlog', values.backlog),
  };
}

export interface DatabasesArguments extends DeliveriesArguments {
  readonly connections: number;
}

export function parseDatabasesArguments(args: readonly string[]): DatabasesArguments {
  const { values } = parse(args, {
    seconds: common.seconds,
    connections: common.connections,
    backlog: { type: 'string', default: '10000' },
  });
  return {
    seconds: positive('--seconds', values.seconds),
    connections: count('--connections', values.connections),
    backlog: count('--backlog', values.backlog),
  };
}

export interface VerifyArguments {
  /** For every verifier and body. */
  readonly seconds: number;
}

export function parseVerifyArguments(args: readonly string[]): VerifyArguments {
  const { values } = parse(args, { seconds: { type: 'string', default: '1' } });
  return { seconds: positive('--seconds', values.seconds) };
}

export interface SdkArguments {
  /** For every client. */
  readonly seconds: number;
}

export function parseSdkArguments(args: readonly string[]): SdkArguments {
  const { values } = parse(args, { seconds: { type: 'string', default: '2' } });
  return { seconds: positive('--seconds', values.seconds) };
}

export interface OAuthArguments {
  /** For each token, in all rounds together. */
  readonly seconds: number;
  readonly rounds: number;
  readonly starts: number;
}

export function parseOAuthArguments(args: readonly string[]): OAuthArguments {
  const { values } = parse(args, {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '10' },
    starts: { type: 'string', default: '5' },
  });
  return {
    seconds: positive('--seconds', values.seconds),
    rounds: count('--rounds', values.rounds),
    starts: count('--starts', values.starts),
  };
}

type Options = Readonly<Record<string, { readonly type: 'string'; readonly default?: string }>>;

function parse<const T extends Options>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options });
  } catch (error) {
    if (error instanceof TypeError) throw new ArgumentError(error.message, { cause: error });
    throw error;
  }
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new ArgumentError(`${flag} ${text}: not a number above 0`);
  return value;
}

function count(flag: string, text: string): number {
  const value = positive(flag, text);
  if (!Number.isInteger(value)) throw new ArgumentError(`${flag} ${text}: not a whole number`);
  return value;
}

/** The names in a list; all when there is none. */
function chosen<T extends string>(
  flag: string,
  text: string | undefined,
  names: readonly T[],
): readonly T[] {
  if (text === undefined) return names;
  const asked = text.split(',');
  const unknown = asked.filter((name) => !names.some((known) => known === name));
  if (unknown.length > 0) {
    throw new ArgumentError(`${flag} ${unknown.join(',')}: choose from ${names.join(', ')}`);
  }
  return names.filter((name) => asked.includes(name));
}
