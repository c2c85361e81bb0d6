import { asVaultError, type ErrorContext } from '../errors.ts';
import { abortError } from './deadline.ts';

/** Makes the chunks of a stream. The signal is aborted when the stream is cancelled. */
export type ChunkSource = (signal: AbortSignal) => AsyncGenerator<Uint8Array<ArrayBuffer>, void>;

/**
 * Creates a stream that asks for a chunk only when its reader does. It fails with errors of the SDK.
 *
 * @param signal - ends the stream with an AbortError
 */
export function byteStream(
  source: ChunkSource,
  { signal, context }: { signal: AbortSignal | undefined; context: ErrorContext },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  let chunks: ReturnType<ChunkSource> | undefined;
  const end = () => signal?.removeEventListener('abort', onAbort);
  const next = () => {
    chunks ??= source(controller.signal);
    return chunks.next();
  };
  return new ReadableStream(
    {
      async pull(stream) {
        // From the first read on: a stream that is never read leaves no listener.
        if (!chunks) signal?.addEventListener('abort', onAbort);
        if (signal?.aborted) onAbort();
        try {
          const { done, value } = await next();
          // A chunk that was at hand before the abort.
          if (signal?.aborted && !done) {
            chunks?.return().catch(() => {});
            throw abortError({ signal, context });
          }
          if (!done) return stream.enqueue(value);
          stream.close();
        } catch (error) {
          end();
          throw asVaultError(error, context);
        }
        end();
      },
      async cancel(reason) {
        end();
        // The generator closes what it holds: it fails at its next or its pending read.
        controller.abort(reason);
        await next().catch(() => {});
        await chunks?.return().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}
