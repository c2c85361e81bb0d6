/** Results of a run, as in results.json. */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { Measurement } from './load.ts';
import type { ScenarioName } from './scenarios.ts';

export interface Figures {
  /** The median of the slices. */
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Responses that the figures stand on. */
  readonly responses: number;
  /** Processor time of the load per response. Above that of the peer, the load itself is measured. */
  readonly loadMicroseconds: number;
}

export interface PeerFigures extends Figures {
  /** Processor time of the peer for a response, in all its threads; NaN where it is not known. */
  readonly processorMicroseconds: number;
  /** Resident memory behind the scenario's last request, in bytes. */
  readonly residentMemory: number;
}

/** Why a peer has no figures in a scenario. */
export interface Unable {
  readonly reason: string;
}

/** From the start of the process to its first response, the medians of several. */
export interface StartTime {
  readonly milliseconds: number;
  /** Processor time of all threads; NaN where it is not known. */
  readonly processorMilliseconds: number;
}

export interface StartFigures {
  /** On a folder with the data of all scenarios. */
  readonly existing: StartTime | Unable;
  readonly empty: StartTime | Unable;
}

export interface LoginFigures {
  /** One vault by id, nothing else. */
  readonly alone: Figures;
  /** The same while logins are in flight. */
  readonly during: Figures;
  readonly inFlight: number;
  readonly loginsPerSecond: number;
}

type WayFigures = Figures & Pick<PeerFigures, 'processorMicroseconds'>;

/** The same page of vaults by both interfaces of this server. */
export interface GraphqlFigures {
  readonly rest: WayFigures;
  readonly graphql: WayFigures;
}

export interface PeerFacts {
  readonly name: string;
  readonly title: string;
  readonly versions: readonly string[];
  readonly durability: string;
}

export interface Results {
  readonly machine: string;
  readonly connections: number;
  readonly seconds: number;
  readonly peers: readonly PeerFacts[];
  /** By scenario, then by the name of the peer. */
  readonly scenarios: Partial<Record<ScenarioName, Record<string, PeerFigures | Unable>>>;
  readonly start?: Record<string, StartFigures>;
  readonly logins?: LoginFigures;
  readonly graphql?: GraphqlFigures;
}

export interface MemorySample {
  /** Since the samples began. */
  readonly seconds: number;
  readonly delivered: number;
  /** Of the server, in bytes. */
  readonly residentMemory: number;
}

export interface DeliveryFigures {
  readonly webhooks: number;
  /** Deliveries that run at once, and connections of the bare loop. */
  readonly atOnce: number;
  readonly backlog: number;
  /** undefined: the backlog ended before a rate was measured. */
  readonly deliveriesPerSecond: number | undefined;
  readonly barePostsPerSecond: number | undefined;
  /** Processor time of the server for a delivery; undefined where it is not known. */
  readonly deliveryMicroseconds?: number | undefined;
  readonly barePostMicroseconds?: number | undefined;
  /** Deliveries that the server has not finished when all have arrived; 0 unless something is wrong. */
  readonly pending: number;
  readonly memory: readonly MemorySample[];
}

export interface DeliveryResults {
  readonly machine: string;
  readonly figures: readonly DeliveryFigures[];
}

export interface VerificationFigures {
  readonly body: string;
  /** How the body is handed over. */
  readonly as: 'bytes' | 'string';
  readonly title: string;
  /** `raw` is written by hand. */
  readonly kind: 'raw' | 'own' | 'peer';
  /** Whether parsing is included. */
  readonly parses: boolean;
  /** The median of the slices. */
  readonly perSecond: number;
  /** To the fastest `raw` that does as much, in the same round: the median. */
  readonly ratio: number;
  /** The same from processor time alone, which other work on the machine disturbs less. */
  readonly ratioByProcessor: number;
}

export interface VerificationResults {
  readonly machine: string;
  /** Measured for each verifier and body. */
  readonly seconds: number;
  readonly versions: readonly string[];
  readonly figures: readonly VerificationFigures[];
}

/** What a call costs, and how many times that of the reference in the same round: the medians. */
export interface CallFigures {
  readonly microseconds: number;
  readonly ratio: number;
  /** The same from processor time alone, which other work on the machine disturbs less. */
  readonly ratioByProcessor: number;
}

export interface SdkFigures {
  /** First bare `fetch`, then the client, then everybody else. */
  readonly calls: readonly (CallFigures & { readonly title: string })[];
  /** Peers that are not installed. */
  readonly missing: readonly string[];
  /** Against Web Crypto alone. */
  readonly encryption: CallFigures;
}

export interface ImportFigures {
  readonly name: string;
  /** The median of several fresh processes. */
  readonly milliseconds: number;
}

/** What checking takes beyond an empty file, of processor time. */
export interface TypeCheckFigures {
  /** A file that imports the client and does nothing with it. */
  readonly importMilliseconds: number;
  /** A file with 50 calls. */
  readonly callsMilliseconds: number;
}

export interface SdkResults {
  readonly machine: string;
  /** Measured for each. */
  readonly seconds: number;
  readonly versions: readonly string[];
  readonly figures: SdkFigures;
  /** First the client's own entries. */
  readonly imports: readonly ImportFigures[];
  readonly typeCheck: TypeCheckFigures;
}

/** What a request takes with 1,000 documents and with many. */
export interface ScaleFigures {
  readonly name: string;
  /** How many times as long it may take with many. */
  readonly target: number;
  /** Milliseconds, the medians. */
  readonly few: number;
  readonly many: number;
  /** Milliseconds of the first request with many. */
  readonly first: number;
}

export interface ScaleResults {
  readonly machine: string;
  /** Of the larger side. */
  readonly documents: number;
  readonly vaults: number;
  /** Resident memory of both servers, in bytes. */
  readonly memory: { readonly few: number; readonly many: number };
  readonly figures: readonly ScaleFigures[];
}

export interface UploadResults {
  readonly machine: string;
  readonly judgements: readonly Judgement[];
}

export interface DatabaseFigures {
  readonly title: string;
  readonly database: string;
  readonly perSecond: number;
  /** Latencies in milliseconds, and processor time in microseconds. Undefined for deliveries. */
  readonly p50?: number;
  readonly p99?: number;
  readonly processorMicroseconds?: number;
}

export interface DatabaseResults {
  readonly machine: string;
  readonly figures: readonly DatabaseFigures[];
}

interface AllResults {
  readonly comparison: Results;
  readonly deliveries: DeliveryResults;
  readonly verification: VerificationResults;
  readonly sdk: SdkResults;
  readonly scale: ScaleResults;
  readonly uploads: UploadResults;
  readonly databases: DatabaseResults;
}

export interface Judgement {
  readonly name: string;
  readonly target: string;
  /** By the clock. Undefined: the run was too short to measure it. */
  readonly reached: number | undefined;
  /** By processor time; undefined where only the clock is measured, or not on this system. */
  readonly byProcessor?: number | undefined;
  readonly met: boolean;
}

/** When a part was measured. */
export interface Stamp {
  /** The commit of the working tree; `-dirty` with changes beside it. */
  readonly commit: string;
  /** ISO 8601. */
  readonly date: string;
}

export type SavedResults = { readonly [Part in keyof AllResults]?: AllResults[Part] & Stamp };

const file = new URL('results.json', import.meta.url);

/** Writes one part of the results; the others stay as their own last run left them. */
export async function saveResults<Part extends keyof AllResults>(
  part: Part,
  results: AllResults[Part],
): Promise<void> {
  const commit = execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  }).trim();
  const stamped = { ...results, commit, date: new Date().toISOString().slice(0, 10) };
  const all = { ...(await savedResults()), [part]: stamped };
  await writeFile(file, `${JSON.stringify(all, null, 2)}\n`);
}

export async function savedResults(): Promise<SavedResults> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SavedResults;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

export function figuresOf({ responses, rates, latency, loadSeconds }: Measurement): Figures {
  return {
    requestsPerSecond: median(rates),
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
    responses,
    loadMicroseconds: (1e6 * loadSeconds) / responses,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
