/** A service in memory with the operations of large documents, for an injected fetch. */
import { createHash } from 'node:crypto';
import { failure, json } from './responses.ts';

export const partBytes = 3 * 1024 * 1024;

/** Larger contents are not in JSON responses. */
const maxInline = 8 * 1024 * 1024;

/** A request of the client, without its body. */
export interface UploadCall {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly part: number | undefined;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | undefined;
}

type Interceptor = (call: UploadCall) => Response | undefined | Promise<Response | undefined>;

interface StoredUpload {
  id: string;
  vaultId: string;
  sizeBytes: number;
  parts: Map<number, Uint8Array>;
}

export function createUploadService() {
  const uploads = new Map<string, StoredUpload>();
  const documents = new Map<string, { body: Record<string, unknown>; content: Buffer }>();
  const calls: UploadCall[] = [];
  const state: { intercept: Interceptor | undefined; inFlight: number; mostInFlight: number } = {
    intercept: undefined,
    inFlight: 0,
    mostInFlight: 0,
  };

  const operations: readonly (readonly [RegExp, Handler])[] = [
    [
      /^POST \/api\/v1\/uploads$/,
      (_, call) => {
        const upload = { ...bodyOf(call), parts: new Map() } as unknown as StoredUpload;
        uploads.set(upload.id, upload);
        return json(shown(upload), { status: 201 });
      },
    ],
    [
      /^GET \/api\/v1\/uploads\/([^/]+)$/,
      ([id]) => found(uploads.get(id), (upload) => json(shown(upload))),
    ],
    [
      /^DELETE \/api\/v1\/uploads\/([^/]+)$/,
      ([id]) =>
        uploads.delete(id) ? new Response(null, { status: 204 }) : failure(404, 'NOT_FOUND'),
    ],
    [
      /^PUT \/api\/v1\/uploads\/([^/]+)\/parts\/(\d+)$/,
      ([id, part], { body, headers }) =>
        found(uploads.get(id), (upload) => {
          const bytes = Uint8Array.from(body ?? []);
          if (headers['content-digest'] !== `sha-256=:${sha256(bytes)}:`) {
            return failure(400, 'VALIDATION_ERROR');
          }
          upload.parts.set(Number(part), bytes);
          return new Response(null, { status: 204 });
        }),
    ],
    [
      /^POST \/api\/v1\/documents$/,
      (_, call) => {
        const { uploadId, encryptedData, ...body } = bodyOf(call) as Record<string, string>;
        const upload = uploads.get(uploadId ?? '');
        if (uploadId && !upload) return failure(404, 'NOT_FOUND');
        const parts = [...(upload?.parts ?? [])]
          .sort(([a], [b]) => a - b)
          .map(([, bytes]) => bytes);
        const content = upload ? Buffer.concat(parts) : Buffer.from(encryptedData ?? '', 'base64');
        const id = uploadId ?? body.id ?? `d${documents.size}`;
        const document = { ...body, id, contentUrl: `/api/v1/documents/${id}/content` };
        documents.set(id, { body: document, content });
        uploads.delete(id);
        return json(document, { status: 201 });
      },
    ],
    [
      /^GET \/api\/v1\/documents\/([^/]+)$/,
      ([id], { query }) =>
        found(documents.get(id), ({ body, content }) =>
          json({ ...body, ...encryptedData(content, query) }),
        ),
    ],
    [
      /^GET \/api\/v1\/(?:documents\/share)\/([^/]+)$/,
      ([token], { query }) =>
        found(documents.get(token), ({ body, content }) =>
          json({
            ...body,
            contentUrl: `/api/v1/contents/${token}`,
            ...encryptedData(content, query),
          }),
        ),
    ],
    [
      /^GET \/api\/v1\/(?:documents|contents)\/([^/]+)(?:\/content)?$/,
      ([id], { headers }) =>
        found(documents.get(id), ({ content }) => contentResponse(content, headers)),
    ],
  ];

  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname: path, search: query } = new URL(url);
    const part = /\/parts\/(\d+)$/.exec(path)?.[1];
    const call: UploadCall = {
      method: init.method ?? '',
      path,
      query,
      part: part === undefined ? undefined : Number(part),
      headers: init.headers as Record<string, string>,
      // A copy: the client uses its memory again.
      body: init.body ? Buffer.from(init.body as Uint8Array) : undefined,
    };
    calls.push(call);
    if (part !== undefined) state.mostInFlight = Math.max(state.mostInFlight, ++state.inFlight);
    try {
      // A request takes at least a turn of the event loop.
      await new Promise(setImmediate);
      const intercepted = await state.intercept?.(call);
      if (intercepted) return intercepted;
      if (init.signal?.aborted) throw init.signal.reason;
      for (const [pattern, handler] of operations) {
        const match = pattern.exec(`${call.method} ${path}`);
        if (match) return handler(match.slice(1) as [string, string], call);
      }
      return failure(404, 'NOT_FOUND');
    } finally {
      if (part !== undefined) state.inFlight--;
    }
  };
  /** Method and path of each request, the id replaced. */
  const log = () =>
    calls.map(
      ({ method, path }) => `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '{id}')}`,
    );
  return { fetch, calls, log, uploads, documents, state };
}

type Handler = (groups: [string, string], call: UploadCall) => Response;

function encryptedData(content: Buffer, query: string): object {
  if (query === '?content=false') return {};
  return { encryptedData: content.length > maxInline ? null : content.toString('base64') };
}

function bodyOf({ body }: UploadCall): Record<string, unknown> {
  return JSON.parse(Buffer.from(body ?? []).toString());
}

function shown({ parts, ...upload }: StoredUpload) {
  return {
    ...upload,
    partBytes,
    parts: [...parts].map(([part, bytes]) => ({
      part,
      sizeBytes: bytes.length,
      sha256: sha256(bytes),
    })),
    expiresAt: '2026-03-03T09:17:30.512Z',
  };
}

function found<T>(value: T | undefined, respond: (value: T) => Response): Response {
  return value === undefined ? failure(404, 'NOT_FOUND') : respond(value);
}

function contentResponse(content: Buffer, headers: Record<string, string>): Response {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const start = Number(from ?? 0);
  const end = to ? Math.min(Number(to) + 1, content.length) : content.length;
  return new Response(Uint8Array.from(content.subarray(start, end)), {
    status: from === undefined ? 200 : 206,
    headers: {
      etag: `"${sha256(content)}"`,
      'content-length': String(end - start),
      'content-range': `bytes ${start}-${end - 1}/${content.length}`,
    },
  });
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}
