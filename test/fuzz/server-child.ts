// The fuzzed server, in its own process. A message asks for the costs since the message before.
import { pino } from 'pino';
import { startServer } from '../../packages/server/src/index.ts';

/** What the server's process did since the last message. */
export interface Figures {
  /** The longest time that the event loop was occupied, in milliseconds of processor time. */
  readonly blockMs: number;
  /** The most memory that the process held, in bytes. */
  readonly peakBytes: number;
  /** The memory that the process holds now, in bytes. */
  readonly bytes: number;
  /** Errors in the log. */
  readonly complaints: readonly string[];
}

/** How often processor time and memory are looked at, in milliseconds. */
const interval = 10;

const plenty = 1_000_000_000;
const complaints: string[] = [];

const server = await startServer({
  port: 0,
  data: ':memory:',
  validateResponses: true,
  enterpriseRequestsPerHour: plenty,
  enterpriseRequestsPerMinute: plenty,
  enterpriseGraphqlPoints: plenty,
  log: pino({ level: 'error' }, { write: (line) => complaints.push(line) }),
});

let blockMs = 0;
let peakBytes = 0;
let before = process.threadCpuUsage();

function look(): void {
  // Time of other processes, and of other threads of this one, is not counted.
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  blockMs = Math.max(blockMs, (user + system) / 1000);
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}
setInterval(look, interval);

process.on('message', (wish: 'figures' | 'collect') => {
  look();
  if (wish === 'collect') globalThis.gc?.();
  const bytes = process.memoryUsage.rss();
  process.send?.({ blockMs, peakBytes, bytes, complaints: complaints.splice(0) } satisfies Figures);
  before = process.threadCpuUsage();
  blockMs = 0;
  peakBytes = bytes;
});

// The process ends with the fuzzer.
process.on('disconnect', () => process.exit());

const { url, apiKey, account } = server;
const { email, password } = account ?? {};
process.send?.({ url, apiKey, account: { email, password } });
