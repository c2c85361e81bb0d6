/** The load: requests over a number of connections, each of which waits for its response. */
import { createHistogram, performance, type RecordableHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in turn by every connection. */
  readonly requests: readonly Request[];
  /** The status that every response must have. */
  readonly status: number;
  readonly connections: number;
}

/** What one or several slices of load have shown. */
export interface Measurement {
  responses: number;
  /** Responses per second, slice by slice. */
  readonly rates: number[];
  /** From request to response, in microseconds. */
  readonly latency: RecordableHistogram;
  /** Processor seconds that the load itself has used, other work of this process included. */
  loadSeconds: number;
}

/** A response had another status than the scenario asks for, or there was none. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
}

export function emptyMeasurement(): Measurement {
  return { responses: 0, rates: [], latency: createHistogram(), loadSeconds: 0 };
}

/** Sends for a while, and adds what it saw. */
export async function addSlice(total: Measurement, load: Load, seconds: number): Promise<void> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const responses = await send(load, { duration: seconds, sampleInt: 50 }, total.latency);
  total.rates.push((1000 * responses) / (performance.now() - start));
  total.responses += responses;
  const { user, system } = process.cpuUsage(cpu);
  total.loadSeconds += (user + system) / 1e6;
}

/** Sends every request once, without measuring. */
export async function sendAll({ url, headers, requests, status, connections }: Load) {
  const remaining = requests.values();
  const sendRest = async () => {
    for (const { method, path, body = null } of remaining) {
      const response = await fetch(url + path, {
        method,
        body,
        headers: { 'content-type': 'application/json', ...headers },
      });
      const text = await response.text();
      if (response.status !== status) throw new LoadError(`${method} ${path}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendRest));
}

async function send(
  { url, headers, requests, status, connections }: Load,
  options: Partial<autocannon.Options>,
  latency?: RecordableHistogram,
): Promise<number> {
  let responses = 0;
  const other = new Map<number, number>();
  const { errors } = await run(
    {
      url,
      headers: { 'content-type': 'application/json', ...headers },
      requests: requests.map((request) => ({ ...request })),
      connections,
      ...options,
    },
    (code, milliseconds) => {
      responses += 1;
      if (code !== status) other.set(code, (other.get(code) ?? 0) + 1);
      latency?.record(Math.max(1, Math.round(milliseconds * 1000)));
    },
  );
  if (errors > 0 || other.size > 0) {
    const counts = [...other].map(([code, count]) => `${count} times ${code}`);
    if (errors > 0) counts.push(`${errors} requests without a response`);
    throw new LoadError(`${requests[0]?.method} ${requests[0]?.path}: ${counts.join(', ')}`);
  }
  return responses;
}

function run(
  options: autocannon.Options,
  onAnswer: (code: number, milliseconds: number) => void,
): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error, result) =>
      error ? reject(error) : resolve(result),
    );
    instance.on('response', (_client, code, _bytes, milliseconds) => onAnswer(code, milliseconds));
  });
}
