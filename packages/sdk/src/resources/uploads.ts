import type { CreateUpload, Upload } from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import { transferred } from './lazy-transfers.ts';

/**
 * Uploads in parts of content that is encrypted already. {@link Documents.upload} does all of it, with
 * encryption, retries and resumption: use these methods to build something else.
 */
export interface Uploads {
  /**
   * Begins an upload of `sizeBytes` bytes and reserves them in the quotas. Its id becomes the id of the
   * document, and `partBytes` is the size of every part except the last one. Needs the scope
   * `documents:write`.
   *
   * @throws {@link NotFoundError} when the account has no such vault
   * @throws {@link ValidationError} when a property is invalid, the id was used before (field `id`,
   * constraint `unique`), the vault is inactive, the content is too large for the service, vault,
   * account or instance (field `sizeBytes`), or 20 uploads are open (constraint `accountRows`)
   * @example
   * const { id, partBytes } = await client.uploads.create({ vaultId: vault.id, sizeBytes: 50_000_000 });
   */
  create(upload: CreateUpload, options?: CallOptions): ApiPromise<Upload>;

  /**
   * Returns an upload with the parts that have arrived. Needs the scope `documents:write`.
   *
   * @throws {@link NotFoundError} when the account has no such upload, or it has expired, was given up
   * or has become a document
   * @example
   * const arrived = new Set((await client.uploads.get(upload.id)).parts.map(({ part }) => part));
   */
  get(id: string, options?: CallOptions): ApiPromise<Upload>;

  /**
   * Sends a part, with its SHA-256 for the service to compare. Parts may be sent in any order, at the
   * same time, and again. After the last one, `documents.create` with `uploadId` makes the document. The
   * timeout is `timeout` and one second for each 20,000 bytes. Needs the scope `documents:write`.
   *
   * @param part - number of the part, from 0
   * @param bytes - `partBytes` bytes; the rest for the last part
   * @throws {@link NotFoundError} as {@link Uploads.get} does
   * @throws {@link ValidationError} when number or length do not fit, or bytes changed on the way (field
   * `Content-Digest`, constraint `digest`)
   * @example
   * await client.uploads.putPart(upload.id, 0, ciphertext.subarray(0, upload.partBytes));
   */
  putPart(id: string, part: number, bytes: Uint8Array, options?: CallOptions): ApiPromise<void>;

  /**
   * Gives up an upload and removes its parts. Needs the scope `documents:write`.
   *
   * @throws {@link NotFoundError} as {@link Uploads.get} does
   * @example
   * await client.uploads.delete(upload.id);
   */
  delete(id: string, options?: CallOptions): ApiPromise<void>;
}

/** Creates the resource. */
export function createUploads(api: Api): Uploads {
  return {
    create: api.send('POST', '/api/v1/uploads'),
    get: api.call('GET', '/api/v1/uploads/{id}'),
    putPart: (id, part, bytes, options) =>
      transferred('PUT', '/api/v1/uploads/{id}/parts/{part}', options, ({ putPart }) =>
        putPart(api.transport, { id, part, bytes }, options),
      ),
    delete: api.call('DELETE', '/api/v1/uploads/{id}'),
  };
}
