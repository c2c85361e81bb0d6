/** Uploads in parts to a service in memory. */
import { randomFillSync } from 'node:crypto';
import type { DocumentSource, UploadCheckpoint, UploadOptions } from '@document-vault/sdk';
import type { createCipher } from '@document-vault/sdk/crypto';
import { expect } from 'vitest';
import { cheapCipher } from './cipher.ts';
import { keyClient, rejection } from './client.ts';
import { failure } from './responses.ts';
import { createUploadService } from './upload-service.ts';

export const MiB = 1024 * 1024;

/** Four parts of 3 MiB, the last one short. */
export const content = randomFillSync(new Uint8Array(9 * MiB + 12_345));

export const expectContent = (bytes: Uint8Array) => expect(Buffer.compare(bytes, content)).toBe(0);

const fileName = 'film.mp4';

/** The cipher of every test, whose key is derived once. */
let creating: ReturnType<typeof createCipher> | undefined;

/** Creates a service, its client and the options of an upload. */
export async function setUpUploads() {
  const service = createUploadService();
  const client = keyClient({ fetch: service.fetch });
  /** Numbers of the parts that were sent, in order. */
  const sent = () => service.calls.flatMap(({ part }) => part ?? []);
  creating ??= cheapCipher('open sesame');
  const options = { vaultId: 'v1', cipher: await creating, fileName };
  return { ...service, client, sent, options };
}

export async function* inChunks(bytes: Uint8Array, size = 1_000_003): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Uploads until a part fails, and returns the last checkpoint as JSON restores it. */
export async function interruptedUpload(
  { client, calls, state, options }: Awaited<ReturnType<typeof setUpUploads>>,
  {
    source = content,
    failAt = 2,
    ...more
  }: Partial<UploadOptions> & { source?: DocumentSource; failAt?: number } = {},
): Promise<UploadCheckpoint> {
  let checkpoint = '';
  state.intercept = ({ part }) => (part === failAt ? failure(500, 'INTERNAL_ERROR') : undefined);
  const onCheckpoint = (given: UploadCheckpoint) => {
    checkpoint = JSON.stringify(given);
  };
  await rejection(
    client.documents.upload(source, { ...options, onCheckpoint, maxRetries: 0, ...more }),
  );
  state.intercept = undefined;
  calls.length = 0;
  return JSON.parse(checkpoint);
}
