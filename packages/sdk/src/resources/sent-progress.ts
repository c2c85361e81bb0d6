import { asVaultError } from '../errors.ts';
import type { UploadOptions } from './content.ts';

/**
 * Returns the function that reports how many bytes of a content have been sent. It wraps errors, so that the transport
 * does not retry a TypeError of `onProgress`.
 *
 * @param total - bytes of the content
 */
export function sentReporter(
  onProgress: UploadOptions['onProgress'],
  total: number,
): (loaded: number) => Promise<void> {
  let reported: number | undefined;
  return async (loaded) => {
    if (loaded === reported) return;
    reported = loaded;
    try {
      await onProgress?.({ phase: 'uploading', loaded, total });
    } catch (error) {
      throw asVaultError(error);
    }
  };
}
