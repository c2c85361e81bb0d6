import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { freeOwn } from '../../../lib/buffers.ts';
import { OperatorError } from '../../../lib/operator-error.ts';
import { ContentError } from '../content.ts';
import { storeAgents } from './agent.ts';

/** Where contents are stored. Credentials come from the environment, as in every AWS client. */
export interface ObjectStoreOptions {
  readonly bucket: string;
  /** Begins every key; empty, or ends with a slash. */
  readonly prefix: string;
  /** URL of a service other than AWS; null: AWS. */
  readonly endpoint: string | null;
  readonly region: string;
}

/** A part of a multipart upload as the object store knows it. */
export interface ObjectPart {
  /** Counted from 0. */
  readonly part: number;
  readonly etag: string;
}

/** Counts since the process started. */
export interface ObjectStoreStatistics {
  readonly requests: number;
  /** Requests that failed after their repetitions. A missing object is no failure. */
  readonly failures: number;
}

export interface MultipartUpload {
  readonly key: string;
  readonly uploadId: string;
}

const second = 1000;

/** Milliseconds for a request without a content, all repetitions together. */
const shortRequest = 20 * second;

/** Completing joins thousands of parts, which takes AWS up to minutes. */
const longRequest = 5 * 60 * second;

/** A store that accepts no connection or sends nothing for that long counts as unavailable. */
const timeouts = { connectionTimeout: 5 * second, socketTimeout: 30 * second };

/** Some stores send nothing until all parts are joined. */
const joiningTimeouts = { ...timeouts, socketTimeout: longRequest };

/** Milliseconds of a check. */
const checkTimeout = 4 * second;

const ignore = () => undefined;

/** Without a logger, the client prints to the console when a sender breaks off. Failures are logged by the server. */
const silentLogger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/**
 * Opens the object store. Its package is loaded only here.
 *
 * @throws OperatorError
 */
export async function openObjectStore(options: ObjectStoreOptions) {
  const aws = await loadClient();
  const agents = storeAgents();
  const clientOf = (limits: typeof timeouts) =>
    new aws.S3Client({
      region: options.region,
      // Services other than AWS rarely have a name per bucket.
      ...(options.endpoint !== null && { endpoint: options.endpoint, forcePathStyle: true }),
      // Later defaults add checksums in trailers, which other services reject.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 3,
      requestHandler: { ...limits, ...agents },
      logger: silentLogger,
    });
  const clients = { client: clientOf(timeouts), joining: clientOf(joiningTimeouts) };
  return createObjectStore(aws, clients, options);
}

/** The clients of the object store. Their time limits differ. */
interface Clients {
  readonly client: S3Client;
  /** Completes uploads. */
  readonly joining: S3Client;
}

type Aws = typeof import('@aws-sdk/client-s3');

async function loadClient(): Promise<Aws> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new OperatorError(
      'Contents in S3 need the package @aws-sdk/client-s3: npm install @aws-sdk/client-s3',
      { cause: error },
    );
  }
}

/** The name of an error of the service, for example `NoSuchKey`. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

export type ObjectStore = ReturnType<typeof createObjectStore>;

/** The operations of S3 that contents need. Keys are without the prefix. */
export function createObjectStore(
  aws: Aws,
  { client, joining }: Clients,
  { bucket, prefix }: Pick<ObjectStoreOptions, 'bucket' | 'prefix'>,
) {
  const statistics = { requests: 0, failures: 0 };
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  const ofUpload = ({ key, uploadId }: MultipartUpload) => ({ ...at(key), UploadId: uploadId });

  /**
   * Runs a request. Errors with one of the `expected` names return undefined.
   *
   * @throws ContentError CONTENTS_UNAVAILABLE
   */
  async function request<T>(
    send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
    { expected = [], timeoutMs = shortRequest }: { expected?: string[]; timeoutMs?: number } = {},
  ): Promise<T | undefined> {
    statistics.requests += 1;
    try {
      return await send({ abortSignal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      if (expected.includes(nameOf(error))) return undefined;
      statistics.failures += 1;
      throw unavailable(error);
    }
  }

  return {
    get statistics(): ObjectStoreStatistics {
      return { ...statistics };
    },

    /** @throws ContentError CONTENTS_UNAVAILABLE */
    async check() {
      const command = new aws.HeadBucketCommand({ Bucket: bucket });
      await request((options) => client.send(command, options), { timeoutMs: checkTimeout });
    },

    async put(key: string, bytes: Uint8Array) {
      const input = { ...at(key), Body: bytes, ContentLength: bytes.length };
      await request((options) => client.send(new aws.PutObjectCommand(input), options), {
        timeoutMs: longRequest,
      });
    },

    async createUpload(key: string) {
      const command = new aws.CreateMultipartUploadCommand(at(key));
      const created = await request((options) => client.send(command, options));
      if (!created?.UploadId) throw unavailable(undefined);
      return created.UploadId;
    },

    /**
     * Sends a part while its chunks arrive. Frees the memory of the chunks.
     *
     * @throws ContentError CONTENT_NOT_PENDING when the upload was completed or aborted; the error of `chunks`
     */
    async putPart(
      upload: MultipartUpload,
      { part, bytes }: { part: number; bytes: number },
      chunks: AsyncIterable<Uint8Array>,
    ): Promise<ObjectPart> {
      // A failing sender destroys the stream, and the store forgets an incomplete part.
      const body = bodyOf(chunks);
      const input = {
        ...ofUpload(upload),
        PartNumber: part + 1,
        Body: body,
        ContentLength: bytes,
      };
      let failure: unknown;
      const abort = new AbortController();
      body.once('error', (error) => {
        failure = error;
        abort.abort();
      });
      statistics.requests += 1;
      try {
        const sent = await client.send(new aws.UploadPartCommand(input), {
          abortSignal: abort.signal,
        });
        if (failure === undefined) return { part, etag: sent.ETag ?? '' };
      } catch (error) {
        if (failure === undefined) {
          if (nameOf(error) === 'NoSuchUpload') throw ended(upload);
          statistics.failures += 1;
          throw unavailable(error);
        }
      } finally {
        body.destroy();
      }
      throw failure;
    },

    /** Lists the parts, to find those that differ after `completeUpload` returned `partsDiffer`. */
    async listParts(upload: MultipartUpload) {
      const parts: ObjectPart[] = [];
      for (let marker: string | undefined; ; ) {
        const input = { ...ofUpload(upload), ...(marker && { PartNumberMarker: marker }) };
        const page = await request((options) =>
          client.send(new aws.ListPartsCommand(input), options),
        );
        for (const { PartNumber = 0, ETag = '' } of page?.Parts ?? []) {
          parts.push({ part: PartNumber - 1, etag: ETag });
        }
        if (!page?.IsTruncated) return parts;
        marker = page.NextPartNumberMarker;
      }
    },

    async completeUpload(upload: MultipartUpload, parts: readonly ObjectPart[]) {
      const Parts = parts.map(({ part, etag }) => ({ PartNumber: part + 1, ETag: etag }));
      const input = { ...ofUpload(upload), MultipartUpload: { Parts } };
      const send = async (options: { abortSignal: AbortSignal }) => {
        try {
          await joining.send(new aws.CompleteMultipartUploadCommand(input), options);
          return 'completed' as const;
        } catch (error) {
          if (nameOf(error) === 'NoSuchUpload') return 'noUpload' as const;
          if (nameOf(error) === 'InvalidPart') return 'partsDiffer' as const;
          throw error;
        }
      };
      return (await request(send, { timeoutMs: longRequest })) ?? 'noUpload';
    },

    /** Does nothing for an upload that has ended. */
    async abortUpload(upload: MultipartUpload) {
      const command = new aws.AbortMultipartUploadCommand(ofUpload(upload));
      await request((options) => client.send(command, options), { expected: ['NoSuchUpload'] });
    },

    /** Returns the size of an object, or undefined when there is none. */
    async size(key: string) {
      const command = new aws.HeadObjectCommand(at(key));
      const expected = ['NotFound', 'NoSuchKey'];
      const head = await request((options) => client.send(command, options), { expected });
      return head?.ContentLength;
    },

    /**
     * Reads the bytes `from` (inclusive) to `to` (exclusive).
     *
     * @returns undefined when there is no object, or it is shorter
     */
    async get(key: string, { from, to }: { from: number; to: number }) {
      const command = new aws.GetObjectCommand({ ...at(key), Range: `bytes=${from}-${to - 1}` });
      const expected = ['NoSuchKey', 'NotFound', 'InvalidRange'];
      const abort = new AbortController();
      // Only until the response begins: its reader may pause for long.
      const timer = setTimeout(() => abort.abort(), shortRequest);
      const send = () => client.send(command, { abortSignal: abort.signal });
      const found = await request(send, { expected }).finally(() => clearTimeout(timer));
      if (!found) return undefined;
      const body = found.Body as Readable;
      if (found.ContentLength === to - from) return body;
      body.destroy();
      return undefined;
    },

    /** Does nothing when there is no object. */
    async delete(key: string) {
      const command = new aws.DeleteObjectCommand(at(key));
      await request((options) => client.send(command, options), { expected: ['NoSuchKey'] });
    },

    close() {
      client.destroy();
      joining.destroy();
    },
  };
}

/** Returns the body of a request. It frees the memory of each chunk that was sent. */
function bodyOf(chunks: AsyncIterable<Uint8Array>): Readable {
  const body = Readable.from(chunks, { objectMode: false });
  // The client pipes a body into its request. The pipe of a stream does not learn when a chunk was sent.
  body.pipe = (request) => {
    body.on('data', (chunk: Buffer) => {
      const isDrained = request.write(chunk, (error) => {
        if (!error) freeOwn(chunk);
      });
      if (!isDrained) body.pause();
    });
    body.once('end', () => request.end());
    request.on('drain', () => body.resume()).once('close', () => body.pause());
    return request;
  };
  return body;
}

/**
 * The error of the client is left out: its message and its fields can name the bucket, the account and the access key,
 * and this error is logged.
 */
function unavailable(cause: unknown): ContentError {
  const message = `the object store is not available: ${reasonOf(cause)}`;
  return new ContentError('CONTENTS_UNAVAILABLE', message);
}

/** Returns a code such as `ECONNREFUSED`, or the name of the service's error, with its status. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  const { code, $metadata } = cause as Error & {
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const reason = typeof code === 'string' ? code : cause.name;
  const status = $metadata?.httpStatusCode;
  return status === undefined ? reason : `${reason}, status ${status}`;
}

function ended({ key }: MultipartUpload): ContentError {
  return new ContentError('CONTENT_NOT_PENDING', `the upload of ${key} has ended`);
}
