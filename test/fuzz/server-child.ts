// The fuzzed server, in its own process. A message asks for the costs since the message before.
import { pino } from 'pino';
import { startServer } from '../../packages/server/src/index.ts';

/** What the server's process did since the last message. */
export interface Figures {
  /** The longest turn of the event loop, in milliseconds of processor time. */
  readonly blockMs: number;
  /** The most memory that the process held, in bytes. */
  readonly peakBytes: number;
  /** The memory that the process holds now, in bytes. */
  readonly bytes: number;
  /** The bytes of its JavaScript objects and buffers, without its database. Exact after garbage collection alone. */
  readonly objectBytes: number;
  /** Errors in the log. */
  readonly complaints: readonly string[];
}

/** How often the memory is looked at, in milliseconds. */
const interval = 10;

const plenty = 1_000_000_000;
const complaints: string[] = [];

const server = await startServer({
  port: 0,
  data: ':memory:',
  oauth: 'on',
  validateResponses: true,
  requestsPerHour: { enterprise: plenty },
  requestsPerMinute: { enterprise: plenty },
  graphqlPoints: { enterprise: plenty },
  log: pino({ level: 'error' }, { write: (line) => complaints.push(line) }),
});

/** Pages and GraphQL are loaded at their first request. No client can repeat that cost. */
const lazyPaths = ['/graphql', '/docs', '/docs/scalar.js', '/share/', '/console/'];
for (const path of lazyPaths) {
  await (await fetch(server.url + path, { headers: { accept: 'text/html, */*' } })).arrayBuffer();
}
await fetch(`${server.url}/graphql`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': server.apiKey ?? '' },
  body: '{"query":"{ me { id } }"}',
});

let blockMs = 0;
let peakBytes = 0;
let before = process.threadCpuUsage();

/** Measures the turn of the event loop that ends. Time of other processes and threads is not counted. */
function measureTurn(): void {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  blockMs = Math.max(blockMs, (user + system) / 1000);
}

function measureMemory(): void {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}
setInterval(measureMemory, interval);

/** Looks at every turn: so the process never sleeps. */
function everyTurn(): void {
  measureTurn();
  setImmediate(everyTurn);
}
everyTurn();

process.on('message', (wish: 'figures' | 'collect') => {
  measureTurn();
  measureMemory();
  if (wish === 'collect') globalThis.gc?.();
  const { rss: bytes, heapUsed, external } = process.memoryUsage();
  const objectBytes = heapUsed + external;
  process.send?.({
    ...{ blockMs, peakBytes, bytes, objectBytes },
    complaints: complaints.splice(0),
  } satisfies Figures);
  before = process.threadCpuUsage();
  blockMs = 0;
  peakBytes = bytes;
});

// The process ends with the fuzzer.
process.on('disconnect', () => process.exit());

const { url, apiKey, account } = server;
const { email, password } = account ?? {};
process.send?.({ url, apiKey, account: { email, password } });
