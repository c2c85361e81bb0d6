import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { vi } from 'vitest';
import { dataFolder } from '../data-folder.ts';

/** The parts of s3rver, which has no types, that the tests use. */
interface S3rver {
  readonly store: {
    getObject(
      bucket: string,
      key: string,
      range: { start?: number; end?: number },
    ): Promise<unknown>;
    getResourcePath(bucket: string, key: undefined, resource: string): string;
    putPart(bucket: string, uploadId: string, part: string, content: Readable): Promise<unknown>;
    putObjectMultipart(
      bucket: string,
      uploadId: string,
      parts: readonly { readonly number: number; readonly etag: string }[],
    ): Promise<unknown>;
  };
  configureBuckets(): Promise<unknown>;
  callback(): (req: IncomingMessage, res: ServerResponse) => void;
}

const require = createRequire(import.meta.url);
const Server = require('s3rver') as new (options: object) => S3rver;
const S3Error = require('s3rver/lib/models/error') as new (code: string, message: string) => Error;

/** Handles a request in the place of the server. Returns false to leave it to the server. */
export type Fault = (req: IncomingMessage, res: ServerResponse) => boolean;

export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  /** Method and path of each request since the start. */
  readonly requests: string[];
  /** Applies to each request until it is undefined. */
  fault: Fault | undefined;
  /** Serves a request that a fault has held. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** Names and sizes of the objects. */
  objects(): Promise<ReadonlyMap<string, number>>;
  /** Number of multipart uploads that have not ended. */
  uploads(): Promise<number>;
  /** Bytes of all objects and parts. */
  bytes(): Promise<number>;
  /** Replaces the bytes of an object. */
  overwrite(key: string, bytes: Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
  close(): Promise<void>;
}

/** Sets the credentials that s3rver knows. */
export function useS3Credentials(): void {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
}

/** Starts s3rver with what it lacks: aborting and listing uploads, and the checks of S3 that contents rely on. */
export async function startS3(): Promise<S3Server> {
  const bucket = 'vault';
  const directory = await dataFolder();
  const server = new Server({ directory, silent: true, configureBuckets: [{ name: bucket }] });
  await server.configureBuckets();
  const uploadsFolder = server.store.getResourcePath(bucket, undefined, 'uploads');
  makeStrict(server, uploadsFolder);
  const requests: string[] = [];
  const handle = server.callback();
  const running: S3Server = {
    bucket,
    requests,
    fault: undefined,
    handle,
    endpoint: '',
    objects: () => sizesOf(join(directory, bucket)),
    uploads: async () => (await readdir(uploadsFolder).catch(() => [])).length,
    bytes: async () => {
      const objects = await sizesOf(join(directory, bucket));
      const parts = await partSizes(uploadsFolder);
      return [...objects.values(), ...parts].reduce((sum, size) => sum + size, 0);
    },
    overwrite: (key, bytes) => writeFile(join(directory, bucket, `${key}._S3rver_object`), bytes),
    remove: (key) => rm(join(directory, bucket, `${key}._S3rver_object`)),
    close: async () => undefined,
  };
  const http = createServer((req, res) => {
    const path = decodeURIComponent(req.url ?? '').replace(/\?.*/, '');
    requests.push(`${req.method} ${path}`);
    if (running.fault?.(req, res)) return;
    const query = new URLSearchParams(req.url?.split('?')[1]);
    const upload = query.get('uploadId');
    if (upload !== null && (req.method === 'DELETE' || req.method === 'GET')) {
      void respondToUpload(join(uploadsFolder, upload), { req, res });
    } else handle(req, res);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return Object.assign(running, {
    endpoint: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  });
}

/**
 * s3rver overwrites a part while it arrives, and takes parts of aborted uploads and any tag. S3 keeps the earlier
 * part until the new one is whole.
 */
function makeStrict({ store }: S3rver, folder: string): void {
  const putPart = store.putPart.bind(store);
  store.putPart = async (bucket, uploadId, part, content) => {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    await requireUpload(join(folder, uploadId));
    return putPart(bucket, uploadId, part, Readable.from([Buffer.concat(chunks)]));
  };
  const getObject = store.getObject.bind(store);
  // It takes an end of 0 for none. The object is truthy, and equals 0 in arithmetic.
  store.getObject = (bucket, key, range) =>
    getObject(bucket, key, range.end === 0 ? { ...range, end: Object(0) } : range);
  const complete = store.putObjectMultipart.bind(store);
  store.putObjectMultipart = async (bucket, uploadId, parts) => {
    await requireUpload(join(folder, uploadId));
    for (const { number, etag } of parts) {
      const stored = await readFile(join(folder, uploadId, `${number}.md5`), 'utf8').catch(
        () => '',
      );
      if (stored !== etag) throw new S3Error('InvalidPart', 'a part differs');
    }
    return complete(bucket, uploadId, parts);
  };
}

async function requireUpload(folder: string): Promise<void> {
  const exists = await stat(folder).catch(() => undefined);
  if (!exists) throw new S3Error('NoSuchUpload', 'the upload does not exist');
}

/** Aborts an upload, or lists its parts. */
async function respondToUpload(
  folder: string,
  { req, res }: { req: IncomingMessage; res: ServerResponse },
): Promise<void> {
  const names = await readdir(folder).catch(() => undefined);
  if (!names) {
    res.writeHead(404).end('<Error><Code>NoSuchUpload</Code><Message>No.</Message></Error>');
  } else if (req.method === 'DELETE') {
    await rm(folder, { recursive: true });
    res.writeHead(204).end();
  } else {
    const numbers = names.filter((name) => /^\d+$/.test(name));
    const parts = await Promise.all(
      numbers.map(async (number) => {
        const bytes = await readFile(join(folder, number));
        const etag = createHash('md5').update(bytes).digest('hex');
        return `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag></Part>`;
      }),
    );
    res.setHeader('content-type', 'application/xml');
    res.end(`<ListPartsResult><IsTruncated>false</IsTruncated>${parts.join('')}</ListPartsResult>`);
  }
}

async function sizesOf(folder: string): Promise<Map<string, number>> {
  const ending = '._S3rver_object';
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const objects = files.filter((file) => file.endsWith(ending));
  const entries = objects.map(async (file) => {
    const { size } = await stat(join(folder, file));
    return [file.slice(0, -ending.length), size] as const;
  });
  return new Map(await Promise.all(entries));
}

async function partSizes(folder: string): Promise<number[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const parts = files.filter((file) => /\/\d+$/.test(file));
  return Promise.all(parts.map(async (file) => (await stat(join(folder, file))).size));
}
