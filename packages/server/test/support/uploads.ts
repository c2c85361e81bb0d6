import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { uploadPartBytes } from '../../src/generated/rules/uploads.ts';
import { encryptionMetadata } from './resources.ts';
import type { Caller, Reply } from './server.ts';

// Uploads in parts over REST.

/** The bytes of a content of this length. No two pieces of it are equal. */
export function contentOfLength(length: number): Buffer {
  const content = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) content.writeUInt32LE(at, at);
  return content;
}

export const newId = () => v7();

export function begin(call: Caller, vaultId: string, sizeBytes: number, fields: object = {}) {
  return call('POST', '/api/v1/uploads', { body: { vaultId, sizeBytes, ...fields } });
}

export function contentDigest(bytes: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

/** The bytes of a part of a content. */
export function partOf(content: Buffer, part: number): Buffer {
  return content.subarray(part * uploadPartBytes, (part + 1) * uploadPartBytes);
}

interface SentPart {
  readonly url: string;
  /** Credentials and further headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
  readonly part: number | string;
  readonly bytes: Uint8Array | string | ReadableStream;
}

/** Sends a part as bytes. */
export async function putPart({ url, headers, id, part, bytes }: SentPart): Promise<Reply> {
  const response = await fetch(`${url}/api/v1/uploads/${id}/parts/${part}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: bytes,
    duplex: 'half',
  } as RequestInit);
  const text = await response.text();
  const body = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}

/** The request body that makes a document of an upload. */
export function documentOfUpload(upload: { id: string; vaultId: string; sizeBytes: number }) {
  return {
    vaultId: upload.vaultId,
    fileName: 'recording.mp4',
    uploadId: upload.id,
    sizeBytes: upload.sizeBytes,
    mimeType: 'video/mp4',
    encryptionMetadata,
  };
}
