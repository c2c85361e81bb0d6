import type { ScenarioName, Target } from '../scenarios.ts';

export interface Place {
  /** An empty folder of its own. */
  readonly folder: string;
  readonly port: number;
}

/** Something that serves the scenarios. */
export interface Peer {
  /** On the command line. */
  readonly name: string;
  /** In the tables. */
  readonly title: string;
  /** The packages that make it, in the versions that are installed here. */
  readonly packages: readonly string[];
  /** What a confirmed write survives. */
  readonly durability: string;
  /** Whether it returns what was stored; if not, bodies are not checked. */
  readonly stores: boolean;
  /** Scenarios that it cannot do, each with the reason. */
  readonly unable?: Partial<Record<ScenarioName, string>>;
  /** Why it cannot start on an empty folder, if it cannot. */
  readonly needsData?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Writes its data before it starts, where that can be done from outside. */
  seed?(folder: string): Promise<void> | void;
  /** The arguments of the `node` that is this peer. */
  command(place: Place): string[];
  /** Values that the requests need, known once it responds. */
  open(url: string, place: Place): Promise<Target> | Target;
}
