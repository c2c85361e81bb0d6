import { type ErrorContext, loadCode } from '../errors.ts';
import { ApiPromise, type RawResult } from '../http/api-result.ts';
import { withDeadline } from '../http/deadline.ts';
import type { Transport } from '../http/transport.ts';
import type { CallOptions } from '../options.ts';
import type { ContentPath } from './binary.ts';
import type { ContentOptions, EncryptedStream } from './content.ts';

type Transfers = typeof import('./transfers.ts');

/** Loads the code of uploads and downloads. The signal of the options ends the wait. */
export function loadTransfers(
  options: CallOptions | undefined,
  context?: ErrorContext,
): Promise<Transfers> {
  return withDeadline({ ...options, context }, () => loadCode(() => import('./transfers.ts')));
}

/**
 * Runs `work` with the code of uploads and downloads, which the first call loads.
 *
 * @param path - path template of the operation, for errors
 */
export function transferred<T>(
  method: string,
  path: string,
  options: CallOptions | undefined,
  work: (transfers: Transfers, context: ErrorContext) => Promise<RawResult<T>>,
): ApiPromise<T> {
  const context = { method, path };
  return new ApiPromise(async () => work(await loadTransfers(options, context), context), context);
}

/** Makes the method that opens encrypted content. */
export function contentMethod(transport: Transport, path: ContentPath) {
  return (id: string, options?: ContentOptions): ApiPromise<EncryptedStream> =>
    transferred('GET', path, options, ({ openContent }) =>
      openContent(transport, path, id, options),
    );
}
