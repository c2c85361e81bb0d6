/** Requests that the benchmark sends to every peer. */
import { newDocument, newVault, pageSize, vaultCount } from './data.ts';
import type { Load, Request } from './load.ts';

/** Where a peer keeps what the scenarios ask for. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The credentials of a session; undefined where a peer knows none. */
  readonly sessionHeaders?: Readonly<Record<string, string>>;
  readonly vaultIds: readonly string[];
  readonly paths: Paths;
}

export interface Paths {
  readonly vaults: string;
  readonly documents: string;
  /** The query of a page of vaults, from 1. */
  page(page: number): string;
}

/** As the contract has them. */
export const contractPaths: Paths = {
  vaults: '/api/v1/vaults',
  documents: '/api/v1/documents',
  page: (page) => `?page=${page}`,
};

export interface Scenario {
  readonly name: ScenarioName;
  readonly title: string;
  readonly status: number;
  requests(target: Target): readonly Request[];
  /** Default: those of the target. */
  headers?(target: Target): Target['headers'];
  /** Whether a response's body is what was asked for, where the peer stores anything. */
  holds(body: unknown): boolean;
}

export const scenarioNames = ['get', 'session', 'list', 'create', 'upload'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

const hasId = (body: unknown) => typeof body === 'object' && body !== null && 'id' in body;

function oneVault({ vaultIds, paths }: Target): Request[] {
  return vaultIds.map((id) => ({ method: 'GET', path: `${paths.vaults}/${id}` }));
}

/** The load of a scenario on one peer. */
export function loadOf(scenario: Scenario, target: Target, connections: number): Load {
  return {
    url: target.url,
    headers: scenario.headers?.(target) ?? target.headers,
    requests: scenario.requests(target),
    status: scenario.status,
    connections,
  };
}

/** In the order of a run: what adds data comes behind what only reads. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'get',
    title: 'one vault by id',
    status: 200,
    requests: oneVault,
    holds: hasId,
  },
  {
    name: 'session',
    title: 'one vault by id, with the access token of a session',
    status: 200,
    requests: oneVault,
    headers: ({ headers, sessionHeaders = headers }) => sessionHeaders,
    holds: hasId,
  },
  {
    name: 'list',
    title: `a page of ${pageSize} vaults in the middle of ${vaultCount.toLocaleString('en')}`,
    status: 200,
    requests: ({ paths }) => [
      { method: 'GET', path: paths.vaults + paths.page(vaultCount / pageSize / 2) },
    ],
    holds: (body) => (body as { data?: unknown[] }).data?.length === pageSize,
  },
  {
    name: 'create',
    title: 'create a vault',
    status: 201,
    requests: ({ paths }) => [
      { method: 'POST', path: paths.vaults, body: JSON.stringify(newVault(vaultCount)) },
    ],
    holds: hasId,
  },
  {
    name: 'upload',
    title: 'upload a document of 64 KiB',
    status: 201,
    requests: ({ vaultIds: [id = ''], paths }) => [
      { method: 'POST', path: paths.documents, body: JSON.stringify(newDocument(id)) },
    ],
    holds: hasId,
  },
];
