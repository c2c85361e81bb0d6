import type { ServerResponse } from 'node:http';
import { defaultDelay, faultOf } from '../generated/rules/faults.ts';
import type { Context } from '../http/request.ts';
import type { Clock } from '../lib/clock.ts';
import { ServiceError } from '../lib/service-error.ts';
import type { DelayOptions, ErrorOptions, Fault, FaultKinds, FaultOptions } from './fault-kinds.ts';

/** The kinds that affect a request after its credentials and its rate limit were checked. */
export type RequestFaultKind = Exclude<keyof FaultKinds, 'expireTokens'>;

type Injected = {
  readonly [Kind in RequestFaultKind]: {
    readonly kind: Kind;
    readonly options: FaultKinds[Kind];
  };
}[RequestFaultKind];

interface Entry {
  readonly injected: Injected;
  calls: number;
  /** Continues the requests that wait. */
  readonly waiting: Set<() => void>;
}

/** The faults of requests. */
export function createRequestFaults(clock: Clock) {
  const entries = new Set<Entry>();

  /** Resolves when the delay or the fault ends, or when the client gives up. */
  function wait({ injected, waiting }: Entry, clientGaveUp: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { milliseconds = defaultDelay }: DelayOptions = injected.options;
    const cancel =
      injected.kind === 'delay'
        ? clock.at(clock.now() + milliseconds, () => resume())
        : () => undefined;
    const resume = () => {
      cancel();
      waiting.delete(resume);
      resolve();
    };
    waiting.add(resume);
    clientGaveUp.addEventListener('abort', resume);
    if (clientGaveUp.aborted) resume();
    return promise;
  }

  async function apply(ctx: Context, entry: Entry): Promise<void> {
    const { kind, options } = entry.injected;
    switch (kind) {
      case 'rateLimit':
        throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfter: options.retryAfter ?? 1 });
      case 'error':
        throw injectedError(options);
      case 'networkError':
        if (options.when !== 'after') throw endConnection(ctx);
        disconnectBeforeHead(ctx.res);
        return;
      case 'truncate':
        truncateBody(ctx.res);
        return;
      case 'delay':
      case 'stall': {
        const clientGaveUp = disconnectionOf(ctx);
        await wait(entry, clientGaveUp);
        if (clientGaveUp.aborted) throw endConnection(ctx);
      }
    }
  }

  function end(entry: Entry): void {
    entries.delete(entry);
    for (const resume of entry.waiting) resume();
  }

  return {
    add(kind: RequestFaultKind, options: FaultOptions): Fault {
      const injected = { kind, options } as Injected;
      const entry: Entry = { injected, calls: 0, waiting: new Set() };
      entries.add(entry);
      return faultOf(entry, () => end(entry));
    },

    /** Applies the oldest fault that matches the request, and counts it. */
    guard(ctx: Context): Promise<void> | undefined {
      const { graphql, route } = ctx.state;
      const operation = graphql ? 'graphql' : route?.operation.id;
      if (operation === undefined) return;
      const found = [...entries].find(({ injected: { options }, calls }) => {
        const { operations = operation, times = 1 } = options;
        return [operations].flat().includes(operation) && calls < times;
      });
      if (!found) return;
      found.calls += 1;
      return apply(ctx, found);
    },

    /** Ends every fault. */
    clear(): void {
      for (const entry of entries) end(entry);
    },
  };
}

function injectedError({ code = 'INTERNAL_ERROR', details = {} }: ErrorOptions): ServiceError {
  const isLimit = code === 'RATE_LIMIT_EXCEEDED';
  return new ServiceError(code, { details, ...(isLimit && { retryAfter: 1 }) });
}

/** Ends the connection without a response. Returns the error that the log shows. */
function endConnection({ req }: Context): ServiceError {
  req.socket.destroy();
  return new ServiceError('INTERNAL_ERROR');
}

function disconnectionOf({ res }: Context): AbortSignal {
  const controller = new AbortController();
  if (res.closed) controller.abort();
  else res.once('close', () => controller.abort());
  return controller.signal;
}

/** Ends the connection when the response begins. */
function disconnectBeforeHead(res: ServerResponse): void {
  const { writeHead } = res;
  Object.assign(res, {
    writeHead(...args: Parameters<typeof writeHead>) {
      res.socket?.destroy();
      return writeHead.apply(res, args);
    },
  });
}

/** Sends the first half of the body, whose full length the head announces, then ends the connection. */
function truncateBody(res: ServerResponse): void {
  const { writeHead, write, end } = res;
  let left = 0;
  const cut = (chunk: Buffer | string, onWritten?: (error?: Error | null) => void) => {
    const part = Buffer.from(chunk).subarray(0, left);
    left -= part.length;
    if (part.length > 0) Reflect.apply(write, res, [part, onWritten]);
    else res.flushHeaders();
    // Unlike `destroy`, it sends what was written.
    if (left === 0) res.socket?.destroySoon();
    return true;
  };
  Object.assign(res, {
    writeHead(status: number, headers: string[]) {
      const length = headers[headers.indexOf('Content-Length') + 1];
      left = Math.floor(Number(length) / 2);
      return writeHead.call(res, status, headers);
    },
    write: cut,
    end: (chunk?: Buffer | string) =>
      chunk === undefined ? Reflect.apply(end, res, []) : cut(chunk),
  });
}
