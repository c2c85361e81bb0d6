import type { ServerResponse } from 'node:http';
import type { OperationId } from '../../contract/contract.ts';
import { ServiceError } from '../../errors.ts';
import type { Fault, FaultBook } from '../../fault-injection.ts';
import type { Context, Step } from '../state.ts';

/** What a test orders faults by. */
interface FaultyOperation {
  /** Undefined: no operation of the contract, and met by method and path alone. */
  readonly id: OperationId | undefined;
  readonly path: string;
}

/** Lets requests meet the faults that a test has ordered. */
export function meetFaults(operation: FaultyOperation, faults: FaultBook): Step {
  return (ctx, next) => {
    const fault = faults.take({
      operation: operation.id,
      method: ctx.method,
      path: ctx.path,
      template: operation.path,
    });
    return fault ? meet(ctx, next, { fault, faults }) : next();
  };
}

async function meet(
  ctx: Context,
  next: () => Promise<unknown>,
  { fault: order, faults }: { readonly fault: Fault; readonly faults: FaultBook },
): Promise<void> {
  switch (order.fault) {
    case 'rateLimit':
      throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfter: order.retryAfter ?? 1 });
    case 'error':
      throw new ServiceError('INTERNAL_ERROR');
    case 'drop':
      if (order.when === 'after') await next();
      ctx.req.socket.destroy();
      if (order.when !== 'after') throw new ServiceError('INTERNAL_ERROR');
      return;
    case 'delay':
      // However long it takes: the connection is not idle, it waits.
      ctx.req.socket.setTimeout(0);
      await faults.wait(order.milliseconds);
      await next();
      return;
    case 'truncate':
      truncate(ctx.res);
      await next();
  }
}

/** Sends the first half of the body that is going to be sent, under the length of the whole. */
function truncate(response: ServerResponse): void {
  const write = response.write.bind(response) as (bytes: Buffer, done?: () => void) => boolean;
  const end = response.end.bind(response) as () => ServerResponse;
  let left: number | undefined;
  const send = (body: string | Buffer): boolean => {
    left ??= Math.floor(Number(response.getHeader('Content-Length')) / 2);
    const bytes = Buffer.from(body as string);
    const isLast = bytes.length >= left;
    const part = bytes.subarray(0, left);
    left -= part.length;
    return isLast ? write(part, () => response.socket?.destroy()) : write(part);
  };
  response.write = send as ServerResponse['write'];
  response.end = ((body?: unknown) => {
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return end();
    send(body);
    return response;
  }) as ServerResponse['end'];
}
