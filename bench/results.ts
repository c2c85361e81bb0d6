/** What a run has shown, as it stands in results.json. */
import type { Measurement } from './load.ts';
import type { ScenarioName } from './scenarios.ts';

export interface Figures {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers that the figures stand on. */
  readonly answers: number;
  /** How much of its core the load has used, from 0 to 1; near 1 it holds the peer up. */
  readonly loadBusy: number;
}

export interface PeerFigures extends Figures {
  /** Processor time of the peer for an answer, in all its threads; NaN where it is not known. */
  readonly processorMicroseconds: number;
  /** Resident memory behind the scenario's last request, in bytes. */
  readonly residentMemory: number;
}

/** Why a peer has no figures in a scenario. */
export interface Unable {
  readonly reason: string;
}

/** Milliseconds from the start of the process to its first answer, the median of several. */
export interface StartFigures {
  /** On a folder with the data of all scenarios. */
  readonly existing: number | Unable;
  readonly empty: number | Unable;
}

export interface LoginFigures {
  /** One vault by id, nothing else. */
  readonly alone: Figures;
  /** The same while logins are in flight. */
  readonly during: Figures;
  readonly inFlight: number;
  readonly loginsPerSecond: number;
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
}

export function figuresOf({ answers, seconds, latency, loadSeconds }: Measurement): Figures {
  return {
    requestsPerSecond: answers / seconds,
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
    answers,
    loadBusy: loadSeconds / seconds,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
