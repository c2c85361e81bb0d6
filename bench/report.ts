/** Formats the results of a run as text. */
import type {
  Figures,
  GraphqlFigures,
  PeerFacts,
  PeerFigures,
  Results,
  StartTime,
  Unable,
} from './results.ts';
import { scenarios } from './scenarios.ts';
import { type Cell, table } from './table.ts';
import { judge, judgementTable, ratio } from './targets.ts';

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
  const koa = figures.koa && 'responses' in figures.koa ? figures.koa : undefined;
  const rows = peers.map(({ name, title }): Cell[] => {
    const own = figures[name];
    if (!own || 'reason' in own) return [title, dash];
    return [
      title,
      fixed(own.processorMicroseconds, 1),
      fixed(ratio(koa?.processorMicroseconds, own.processorMicroseconds), 2),
      Math.round(own.requestsPerSecond),
      fixed(ratio(own.requestsPerSecond, koa?.requestsPerSecond), 2),
      ...latencies(own),
      fixed(own.loadMicroseconds, 0),
      Math.round(own.residentMemory / 2 ** 20),
    ];
  });
  const head = ['peer', 'CPU µs', '× bare Koa', 'requests/s', '× bare Koa', 'p50 ms', 'p99 ms'];
  const notes = peers.flatMap(({ name, title }) => {
    const own = figures[name];
    return own && 'reason' in own ? [`${title}: ${own.reason}`] : [];
  });
  return [table([...head, 'load µs', 'RSS MiB'], rows), ...notes].join('\n');
}

function latencies({ p50, p99 }: Figures): Cell[] {
  return [p50.toFixed(1), p99.toFixed(1)];
}

function fixed(value: number | undefined, digits: number): string {
  return value !== undefined && Number.isFinite(value) ? value.toFixed(digits) : dash;
}

function startTable({ peers, start }: Results): string | undefined {
  if (!start) return undefined;
  const cells = (time: StartTime | Unable): Cell[] =>
    'reason' in time
      ? [dash, dash]
      : [fixed(time.processorMilliseconds, 0), fixed(time.milliseconds, 0)];
  const rows = peers.flatMap(({ name, title }) => {
    const own = start[name];
    return own ? [[title, ...cells(own.existing), ...cells(own.empty)]] : [];
  });
  const notes = peers.flatMap(({ name, title }) => {
    const empty = start[name]?.empty;
    return empty && 'reason' in empty ? [`${title}: ${empty.reason}`] : [];
  });
  const columns = table(
    ['peer', 'existing folder: CPU', 'clock', 'empty folder: CPU', 'clock'],
    rows,
  );
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
    fixed(figures.processorMicroseconds, 1),
    fixed(ratio(graphql.rest.processorMicroseconds, figures.processorMicroseconds), 2),
    Math.round(figures.requestsPerSecond),
    fixed(ratio(figures.requestsPerSecond, graphql.rest.requestsPerSecond), 2),
    ...latencies(figures),
  ];
  return `graphql: the same page of vaults by both interfaces\n\n${table(
    ['Document Vault', 'CPU µs', '× REST', 'requests/s', '× REST', 'p50 ms', 'p99 ms'],
    [row('REST', graphql.rest), row('GraphQL', graphql.graphql)],
  )}`;
}

function targetTable(results: Results): string | undefined {
  const judgements = judge(results);
  return judgements.length === 0 ? undefined : judgementTable(judgements);
}
