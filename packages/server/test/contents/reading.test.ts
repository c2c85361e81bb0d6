import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dataFolder } from '../support/data-folder.ts';
import { expectEveryHeader, refusal } from '../support/front-door.ts';
import { newDocument, newShare, newVault } from '../support/resources.ts';
import { type Reply, startTestServer } from '../support/server.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** Bytes that repeat nowhere near a border of what the store keeps together. */
function bytesOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) % 251));
}

async function startWithContent(content: Buffer) {
  const server = await startTestServer({ requestsPerHour: { enterprise: 1_000_000 } });
  const vault = await newVault(server.developer);
  const document = await newDocument(server.developer, vault.id, content);
  const read = (headers: Readonly<Record<string, string>> = {}) =>
    server.developer('GET', document.contentUrl, { headers });
  return { ...server, document, read };
}

/** The headers that describe the content, the same for a range of it. */
function expectDescribed({ headers }: Reply, content: Buffer): void {
  expect(headers.get('accept-ranges')).toBe('bytes');
  expect(headers.get('etag')).toBe(`"${sha256(content).toString('base64url')}"`);
  expect(headers.get('repr-digest')).toBe(`sha-256=:${sha256(content).toString('base64')}:`);
  expect(headers.get('cache-control')).toBe('private, no-cache, no-transform');
}

describe('GET /documents/{id}/content', () => {
  test.each([0, 1, 131_071, 131_072, 131_073, 5_000_000])(
    'of %i bytes returns the ciphertext as it was sent',
    async (length) => {
      const content = bytesOf(length);
      const { document, read } = await startWithContent(content);
      expect(document.contentUrl).toBe(`/api/v1/documents/${document.id}/content`);
      const reply = await read();
      expect(reply.status).toBe(200);
      expect(reply.body.equals(content)).toBe(true);
      expect(reply.headers.get('content-length')).toBe(String(length));
      expect(reply.headers.get('content-range')).toBeNull();
      expectDescribed(reply, content);
      expectEveryHeader(reply);
    },
  );

  test('is safe to open in a browser', async () => {
    const { read } = await startWithContent(Buffer.from('<script>alert(1)</script>'));
    for (const { headers } of [await read(), await read({ range: 'bytes=0-7' })]) {
      expect(headers.get('content-type')).toBe('application/octet-stream');
      expect(headers.get('content-disposition')).toBe('attachment');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  });

  test('with Range returns 206 with these bytes', async () => {
    const content = bytesOf(300_000);
    const { read } = await startWithContent(content);
    const reply = await read({ range: 'bytes=131000-262200' });
    expect(reply.status).toBe(206);
    expect(reply.headers.get('content-range')).toBe('bytes 131000-262200/300000');
    expect(reply.headers.get('content-length')).toBe('131201');
    expect(reply.body.equals(content.subarray(131_000, 262_201))).toBe(true);
    expectDescribed(reply, content);
    expectEveryHeader(reply);
  });

  test('with any range returns the same bytes as a slice of the content', async () => {
    const content = bytesOf(400_000);
    const { read } = await startWithContent(content);
    // Often near the borders of the rows, of 128 KiB each.
    const near = fc.tuple(fc.nat(3), fc.integer({ min: -2, max: 2 }));
    const offset = fc.oneof(
      fc.nat(content.length + 10),
      near.map(([row, distance]) => Math.max(0, row * 131_072 + distance)),
    );
    const check = async (start: number, last: number) => {
      const reply = await read({ range: `bytes=${start}-${last}` });
      const slice = content.subarray(start, last + 1);
      const status = last < start ? 200 : start >= content.length ? 416 : 206;
      expect(reply.status).toBe(status);
      if (status === 200) expect(reply.body.equals(content)).toBe(true);
      if (status === 206) expect(reply.body.equals(slice)).toBe(true);
    };
    await fc.assert(fc.asyncProperty(offset, offset, check), { numRuns: 100 });
  });

  test('with a range outside of the content returns 416 and the length', async () => {
    const { document, read } = await startWithContent(bytesOf(10));
    const reply = await read({ range: 'bytes=10-' });
    expect(reply).toMatchObject(
      refusal('RANGE_NOT_SATISFIABLE', {
        field: 'Range',
        constraint: 'satisfiable',
        sizeBytes: 10,
      }),
    );
    expect(reply.headers.get('content-range')).toBe('bytes */10');
    expect(reply.headers.get('accept-ranges')).toBe('bytes');
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.get('etag')).toBeNull();
    expectEveryHeader(reply);
    expect(document.sizeBytes).toBe(10);
  });

  test('of an empty content with a range returns 416, and with a suffix the content', async () => {
    const { read } = await startWithContent(Buffer.alloc(0));
    const outside = await read({ range: 'bytes=0-' });
    expect(outside.status).toBe(416);
    expect(outside.headers.get('content-range')).toBe('bytes */0');
    expect(await read({ range: 'bytes=-1' })).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  test.each(['bytes=1-0', 'bytes=0-1,4-5', 'items=0-1', 'nonsense'])(
    'with "Range: %s" ignores the header',
    async (range) => {
      const { read } = await startWithContent(bytesOf(10));
      const reply = await read({ range });
      expect(reply).toMatchObject({ status: 200, body: bytesOf(10) });
      expect(reply.headers.get('content-range')).toBeNull();
    },
  );

  test('with If-Range returns the range of the same version, and the whole content otherwise', async () => {
    const { read } = await startWithContent(bytesOf(10));
    const etag = (await read()).headers.get('etag') as string;
    const range = 'bytes=2-3';
    expect(await read({ range, 'if-range': etag })).toMatchObject({
      status: 206,
      body: bytesOf(4).subarray(2),
    });
    for (const other of ['"another"', `W/${etag}`, 'Thu, 01 Jan 2026 00:00:00 GMT']) {
      expect(await read({ range, 'if-range': other }), other).toMatchObject({
        status: 200,
        body: bytesOf(10),
      });
    }
  });

  test('with If-None-Match returns 304 without a body for the same version', async () => {
    const content = bytesOf(10);
    const { read } = await startWithContent(content);
    const etag = (await read()).headers.get('etag') as string;
    for (const header of [etag, `W/${etag}`, '*', `"another", ${etag}`]) {
      const reply = await read({ 'if-none-match': header, range: 'bytes=100-' });
      expect(reply, header).toMatchObject({ status: 304, body: undefined });
      expect(reply.headers.get('content-length')).toBeNull();
      expect(reply.headers.get('content-disposition')).toBeNull();
      expectDescribed(reply, content);
      expectEveryHeader(reply);
    }
    expect((await read({ 'if-none-match': '"another"' })).status).toBe(200);
  });

  test('of a renamed document has the same ETag', async () => {
    const { developer, document, read } = await startWithContent(bytesOf(10));
    const etag = (await read()).headers.get('etag');
    await developer('PUT', `/api/v1/documents/${document.id}`, { body: { fileName: 'new.pdf' } });
    expect((await read()).headers.get('etag')).toBe(etag);
  });

  test('of a deleted or unknown document returns 404 in the form of every error', async () => {
    const { developer, document, read } = await startWithContent(bytesOf(10));
    await developer('DELETE', `/api/v1/documents/${document.id}`);
    const { id: documentId } = document;
    expect(await read()).toMatchObject(refusal('NOT_FOUND', { documentId }));
    const unknown = await developer('GET', '/api/v1/documents/unknown/content');
    expect(unknown).toMatchObject(refusal('NOT_FOUND', { documentId: 'unknown' }));
  });
});

test('contentUrl is in every form of a document, and in no event', async () => {
  const { developer, document, settled } = await startWithContent(bytesOf(10));
  const path = `/api/v1/documents/${document.id}`;
  const { contentUrl } = document;
  const one = await developer('GET', path);
  const listed = await developer('GET', '/api/v1/documents');
  const changed = await developer('PUT', path, { body: { fileName: 'new.pdf' } });
  const graphql = await developer('POST', '/graphql', {
    body: { query: `{ document(id: "${document.id}") { contentUrl } }` },
  });
  expect(one.body.contentUrl).toBe(contentUrl);
  expect(listed.body.data[0].contentUrl).toBe(contentUrl);
  expect(changed.body.contentUrl).toBe(contentUrl);
  expect(graphql.body).toMatchObject({ data: { document: { contentUrl } } });
  await developer('DELETE', path);
  await settled();
  const events = await developer('GET', '/api/v1/events');
  expect(events.body.data.length).toBeGreaterThan(2);
  expect(JSON.stringify(events.body)).not.toContain('contentUrl');
});

test('a document above the limit of JSON has encryptedData: null, and its content is returned', async () => {
  const data = await dataFolder();
  const content = bytesOf(11);
  const first = await startTestServer({ data });
  const vault = await newVault(first.developer);
  const large = await newDocument(first.developer, vault.id, content);
  const small = await newDocument(first.developer, vault.id, content.subarray(1));
  const share = await newShare(first.developer, large.id);
  await first.close();

  const { developer } = await startTestServer({ data, maxJsonDocumentBytes: 10 });
  const get = async (id: string) => (await developer('GET', `/api/v1/documents/${id}`)).body;
  expect(await get(large.id)).toEqual({ ...large, encryptedData: null });
  expect((await get(small.id)).encryptedData).toBe(content.subarray(1).toString('base64'));
  const opened = await developer('GET', `/api/v1/documents/share/${share.shareToken}`);
  expect(opened).toMatchObject({ status: 200, body: { id: large.id, encryptedData: null } });
  for (const path of [large.contentUrl, opened.body.contentUrl]) {
    expect(await developer('GET', path)).toMatchObject({ status: 200, body: content });
  }
});
