import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { uploadPartBytes } from '../../src/generated/rules/uploads.ts';
import { newShare, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { begin, contentOfLength, documentOfUpload, partOf, putPart } from '../support/uploads.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** Bytes of the rows in which parts are stored. */
const pieceBytes = 128 * 1024;

/** Stores a content of two parts, the second one first. */
async function startWithParts(content: Buffer) {
  const server = await startTestServer({ requestsPerHour: { enterprise: 1_000_000 } });
  const { developer, url, apiKey } = server;
  const vault = await newVault(developer);
  const { body: upload } = await begin(developer, vault.id, content.length);
  const { id } = upload;
  const headers = { 'x-api-key': apiKey };
  for (const part of [1, 0]) {
    const bytes = partOf(content, part);
    expect(await putPart({ url, headers, id, part, bytes })).toMatchObject({ status: 204 });
  }
  const body = documentOfUpload(upload);
  const created = await developer('POST', '/api/v1/documents', { body });
  expect(created).toMatchObject({ status: 201 });
  return { ...server, document: created.body };
}

const content = contentOfLength(uploadPartBytes + 300_001);

test('a content of parts returns any range as a slice of the content, also across the parts', async () => {
  const { developer, document } = await startWithParts(content);
  const border = fc.constantFrom(0, pieceBytes, uploadPartBytes - pieceBytes, uploadPartBytes);
  const offset = fc.oneof(
    fc.nat(content.length),
    fc
      .tuple(border, fc.integer({ min: -2, max: 2 }))
      .map(([at, distance]) => Math.max(0, at + distance)),
    fc.integer({ min: content.length - 2, max: content.length + 2 }),
  );
  const length = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 400_000 }));
  const check = async (start: number, bytes: number) => {
    const range = `bytes=${start}-${start + bytes - 1}`;
    const reply = await developer('GET', document.contentUrl, { headers: { range } });
    expect(reply.status).toBe(start < content.length ? 206 : 416);
    if (reply.status === 206) {
      expect(reply.body.equals(content.subarray(start, start + bytes))).toBe(true);
    }
  };
  await fc.assert(fc.asyncProperty(offset, length, check), { numRuns: 100 });
});

test('a content of parts has an ETag of the digests of its parts, and no Repr-Digest', async () => {
  const { developer, anonymous, document } = await startWithParts(content);
  const whole = await developer('GET', document.contentUrl);
  expect(whole.status).toBe(200);
  expect(whole.body.equals(content)).toBe(true);
  const digests = [0, 1].map((part) => sha256(partOf(content, part)));
  const etag = `"${sha256(Buffer.concat(digests)).toString('base64url')}"`;
  expect(whole.headers.get('etag')).toBe(etag);
  expect(whole.headers.get('repr-digest')).toBeNull();

  const share = await newShare(developer, document.id, { access: 'anyone' });
  const opened = await anonymous('GET', `/shares/${share.shareToken}`);
  const range = 'bytes=-1';
  const shared = await anonymous('GET', opened.body.contentUrl, { headers: { range } });
  expect(shared).toMatchObject({ status: 206, body: content.subarray(-1) });
  expect(shared.headers.get('etag')).toBe(etag);
  expect(shared.headers.get('repr-digest')).toBeNull();
});
