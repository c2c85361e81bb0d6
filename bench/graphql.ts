/** The page of vaults that the list scenario reads, by REST and by GraphQL, in turns. */
import type { Extent } from './compare-scenarios.ts';
import { pageSize, vaultCount } from './data.ts';
import { addSlice, emptyMeasurement, type Load, type Measurement } from './load.ts';
import { processorSeconds, type RunningPeer } from './process.ts';
import { figuresOf, type GraphqlFigures } from './results.ts';
import { scenarios } from './scenarios.ts';

/** Every field that REST returns. */
const query = `query Vaults($page: Int!, $pageSize: Int!) {
  vaults(page: $page, pageSize: $pageSize) {
    data {
      id name description category userId instanceId isActive documentCount totalSize createdAt updatedAt
    }
    pagination { page pageSize totalPages totalCount hasNextPage hasPreviousPage }
  }
}`;

const turnSeconds = 1;
const warmUpSeconds = 2;

interface Way {
  readonly load: Load;
  readonly measured: Measurement;
  processorSeconds: number;
}

export async function measureGraphql(
  { target, process }: RunningPeer,
  { connections, seconds }: Extent,
): Promise<GraphqlFigures> {
  const list = scenarios.find(({ name }) => name === 'list');
  if (!list) throw new Error('there is no scenario that lists vaults');
  const { url, headers } = target;
  const variables = { page: vaultCount / pageSize / 2, pageSize };
  const body = JSON.stringify({ query, variables });
  const common = { url, headers, status: 200, connections };
  const ways = {
    rest: newWay({ ...common, requests: list.requests(target) }),
    graphql: newWay({ ...common, requests: [{ method: 'POST', path: '/graphql', body }] }),
  };
  for (const { load } of Object.values(ways)) {
    await addSlice(emptyMeasurement(), load, warmUpSeconds);
  }
  const rounds = Math.max(1, Math.round(seconds / turnSeconds));
  for (let round = 0; round < rounds; round += 1) {
    for (const way of Object.values(ways)) {
      const before = processorSeconds(process.pid);
      await addSlice(way.measured, way.load, seconds / rounds);
      way.processorSeconds += processorSeconds(process.pid) - before;
    }
  }
  return { rest: summarise(ways.rest), graphql: summarise(ways.graphql) };
}

function newWay(load: Load): Way {
  return { load, measured: emptyMeasurement(), processorSeconds: 0 };
}

function summarise({ measured, processorSeconds: used }: Way) {
  return { ...figuresOf(measured), processorMicroseconds: (1e6 * used) / measured.responses };
}
