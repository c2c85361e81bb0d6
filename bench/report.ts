/** Formats the results of a run as text. */
import type {
  Figures,
  GraphqlFigures,
  PeerFacts,
  PeerFigures,
  Results,
  Unable,
} from './results.ts';
import { scenarios } from './scenarios.ts';
import { type Cell, table } from './table.ts';
import { judge, judgementTable } from './targets.ts';

const dash = '–';

export function report(results: Results): string {
  const { machine, connections, seconds } = results;
  const parts = [
    `${connections} connections, ${seconds} s for every peer and scenario; ${machine}`,
    peerTable(results.peers),
    ...scenarios.flatMap(({ name, title }) => {
      const figures = results.scenarios[name];
      return figures ? [`${name}: ${title}\n\n${scenarioTable(results.peers, figures)}`] : [];
    }),
    startTable(results),
    loginTable(results),
    graphqlTable(results),
    targetTable(results),
  ];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

function peerTable(peers: readonly PeerFacts[]): string {
  return table(
    ['peer', 'a confirmed write', 'versions'],
    peers.map(({ title, durability, versions }) => [title, durability, versions.join(', ')]),
  );
}

function scenarioTable(
  peers: readonly PeerFacts[],
  figures: Readonly<Record<string, PeerFigures | Unable>>,
): string {
  const rateOfKoa = figures.koa && 'responses' in figures.koa ? figures.koa.requestsPerSecond : NaN;
  const rows = peers.map(({ name, title }): Cell[] => {
    const own = figures[name];
    if (!own || 'reason' in own) return [title, dash];
    return [
      title,
      Math.round(own.requestsPerSecond),
      fixed(own.requestsPerSecond / rateOfKoa, 2),
      ...latencies(own),
      fixed(own.processorMicroseconds, 0),
      fixed(own.loadMicroseconds, 0),
      Math.round(own.residentMemory / 2 ** 20),
    ];
  });
  const head = ['peer', 'requests/s', '× bare Koa', 'p50 ms', 'p99 ms', 'CPU µs', 'load µs'];
  const notes = peers.flatMap(({ name, title }) => {
    const own = figures[name];
    return own && 'reason' in own ? [`${title}: ${own.reason}`] : [];
  });
  return [table([...head, 'RSS MiB'], rows), ...notes].join('\n');
}

function latencies({ p50, p99 }: Figures): Cell[] {
  return [p50.toFixed(1), p99.toFixed(1)];
}

function fixed(value: number, digits: number): string {
  return Number.isNaN(value) ? dash : value.toFixed(digits);
}

function startTable({ peers, start }: Results): string | undefined {
  if (!start) return undefined;
  const cell = (value: number | Unable | undefined): Cell =>
    typeof value === 'number' ? Math.round(value) : dash;
  const rows = peers.flatMap(({ name, title }) => {
    const own = start[name];
    return own ? [[title, cell(own.existing), cell(own.empty)]] : [];
  });
  const notes = peers.flatMap(({ name, title }) => {
    const empty = start[name]?.empty;
    return typeof empty === 'object' ? [`${title}: ${empty.reason}`] : [];
  });
  const columns = table(['peer', 'existing folder', 'empty folder'], rows);
  return [`start: milliseconds to the first response\n\n${columns}`, ...notes].join('\n');
}

function loginTable({ logins }: Results): string | undefined {
  if (!logins) return undefined;
  const row = (title: string, figures: Figures): Cell[] => [
    title,
    Math.round(figures.requestsPerSecond),
    ...latencies(figures),
  ];
  const { alone, during, inFlight, loginsPerSecond } = logins;
  const title = `logins: one vault by id while ${inFlight} log in (${Math.round(loginsPerSecond)} logins/s)`;
  return `${title}\n\n${table(
    ['Document Vault', 'requests/s', 'p50 ms', 'p99 ms'],
    [row('alone', alone), row('with logins', during)],
  )}`;
}

function graphqlTable({ graphql }: Results): string | undefined {
  if (!graphql) return undefined;
  const row = (title: string, figures: GraphqlFigures['rest']): Cell[] => [
    title,
    Math.round(figures.requestsPerSecond),
    fixed(figures.requestsPerSecond / graphql.rest.requestsPerSecond, 2),
    ...latencies(figures),
    fixed(figures.processorMicroseconds, 0),
  ];
  return `graphql: the same page of vaults by both interfaces\n\n${table(
    ['Document Vault', 'requests/s', '× REST', 'p50 ms', 'p99 ms', 'CPU µs'],
    [row('REST', graphql.rest), row('GraphQL', graphql.graphql)],
  )}`;
}

function targetTable(results: Results): string | undefined {
  const judgements = judge(results);
  return judgements.length === 0 ? undefined : judgementTable(judgements);
}
