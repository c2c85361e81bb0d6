import type { ServerResponse } from 'node:http';
import { ServiceError } from '../generated/rules/errors.ts';
import type { RequestFaults } from '../generated/rules/faults.ts';
import type { Context, Guard } from '../http/request.ts';

/** Applies the faults of requests that have been admitted. */
export function applyFaults(faults: RequestFaults): Guard {
  return async (ctx) => {
    const { graphql, route } = ctx.state;
    const operation = graphql ? 'graphql' : route?.operation.id;
    if (operation === undefined) return;
    const damage = await faults.apply(operation, () => disconnectionOf(ctx));
    if (damage === 'disconnect') throw endConnection(ctx);
    if (damage === 'networkError') disconnectBeforeHead(ctx.res);
    if (damage === 'truncate') truncateBody(ctx.res);
  };
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
