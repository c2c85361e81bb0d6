import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { retentionSteps } from '../../src/domain/sweeper.ts';
import { createContents } from '../../src/store/contents/open-contents.ts';
import { openObjectStore } from '../../src/store/contents/s3/object-store.ts';
import { objectRemoval } from '../../src/store/contents/s3/sweeping.ts';
import type { DocumentRecord } from '../../src/store/rows/documents/documents.ts';
import {
  type Fault,
  type S3Server,
  startS3,
  useS3Credentials,
} from '../support/contents/s3-server.ts';
import { openDatabase, roomy } from '../support/delivery/database.ts';
import { documentRecord, vaultRecord } from '../support/store/records.ts';
import {
  chunked,
  collect,
  contentError,
  contentsSuite,
  sha256,
  someBytes,
} from './contents.suite.ts';

const mebibyte = 1024 * 1024;
const day = 86_400_000;

/** Opens contents in a bucket. Objects of deleted documents are kept for two days. */
async function open() {
  useS3Credentials();
  const s3 = await startS3();
  const { bucket, endpoint } = s3;
  const objects = await openObjectStore({ bucket, prefix: 'p/', endpoint, region: 'us-east-1' });
  const database = await openDatabase();
  const { store, clock, driver } = database;
  const steps = retentionSteps({ store, clock, limits: roomy, grace: 2 * day });
  const removal = { name: 'remove objects', sweep: objectRemoval({ store, clock, objects }) };
  return {
    ...database,
    s3,
    objects,
    contents: createContents({ store, clock, objects }),
    async sweep() {
      for (const { sweep } of [...steps, removal]) while ((await sweep(100)) >= 100) {}
    },
    async storedBytes() {
      const sql =
        '/* all rows */ SELECT COALESCE(SUM(LENGTH(data)), 0) AS bytes FROM document_contents';
      const inDatabase = (await driver.reader.get<{ bytes: number }>(sql))?.bytes ?? 0;
      return inDatabase + (await s3.bytes());
    },
    async close() {
      await database.close();
      objects.close();
      await s3.close();
    },
  };
}

/** S3 takes parts of at least 5 MiB. The test server does not mind, and is faster with less. */
const partBytes = 512 * 1024;

contentsSuite('S3', open, partBytes);

describe('contents in S3', () => {
  let opened: Awaited<ReturnType<typeof open>>;
  let s3: S3Server;
  const id = '019cadd6-a210-7670-891a-985ccc8c71a2';

  beforeEach(async () => {
    opened = await open();
    s3 = opened.s3;
    await opened.store.transaction((tx) => tx.vaults.insert(vaultRecord(opened, 'vault')));
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await opened.close();
  });

  const begin = (sizeBytes: number) =>
    opened.store.transaction((tx) =>
      opened.contents.begin(tx, { id, sizeBytes, partBytes, until: opened.clock.now() + day }),
    );

  const write = (part: number, bytes: Buffer) =>
    opened.contents.writePart({ id, part, bytes: bytes.length }, chunked(bytes));

  async function stored(content: Buffer): Promise<DocumentRecord> {
    const { store, contents } = opened;
    const ready =
      content.length > contents.stagedAbove
        ? await contents.stage(id, content)
        : contents.hold(id, content);
    return store.transaction(async (tx) => {
      const { sizeBytes } = ready;
      const taken = await contents.take(tx, ready);
      const vault = vaultRecord(opened, 'vault');
      const document = documentRecord(vault, { id, sizeBytes, content: taken });
      await tx.documents.insert(document);
      return document;
    });
  }

  const readAll = async (document: DocumentRecord) =>
    collect(await opened.contents.read(document, { from: 0, to: document.sizeBytes }));

  const down: Fault = (req) => {
    req.socket.destroy();
    return true;
  };

  const unavailable = contentError('CONTENTS_UNAVAILABLE');

  test('are one object below the prefix; up to 128 KiB they are in the database', async () => {
    const large = await stored(someBytes(128 * 1024 + 1));
    expect(large.content.store).toBe('s3');
    const keys = [...(await s3.objects()).keys()];
    expect(keys).toEqual([expect.stringMatching(new RegExp(`^p/${id}/[0-9a-f-]{36}$`))]);
    await opened.store.transaction((tx) => tx.documents.delete(id));
    await opened.sweep();
    const small = await stored(someBytes(128 * 1024));
    expect(small.content.store).toBe('database');
    expect((await s3.objects()).size).toBe(1);
  });

  test('are sent and read without the checksums of newer clients, which other services reject', async () => {
    const { objects } = opened;
    const headers: IncomingHttpHeaders[] = [];
    s3.fault = (req) => {
      headers.push(req.headers);
      return false;
    };
    await objects.put('whole', someBytes(10));
    const upload = { key: 'parts', uploadId: await objects.createUpload('parts') };
    const part = await objects.putPart(upload, { part: 0, bytes: 10 }, chunked(someBytes(10)));
    await objects.completeUpload(upload, [part]);
    const body = await objects.get('parts', { from: 0, to: 10 });
    expect(body && (await collect(body))).toEqual(someBytes(10));
    expect(headers).toHaveLength(5);
    for (const sent of headers) {
      expect(Object.keys(sent).join()).not.toMatch(/checksum|trailer|encoding/);
    }
  });

  test('send no request to the object store for a part that is not expected', async () => {
    await expect(write(0, someBytes(10))).rejects.toEqual(contentError('CONTENT_NOT_PENDING'));
    expect(s3.requests).toEqual([]);
  });

  test('in the database are read and completed after S3 was configured', async () => {
    const { store, clock } = opened;
    const database = createContents({ store, clock });
    const content = someBytes(partBytes);
    await store.transaction((tx) =>
      database.begin(tx, { id, sizeBytes: partBytes, partBytes, until: clock.now() + day }),
    );
    await write(0, content);
    const ready = await opened.contents.complete({ id, sizeBytes: partBytes, partBytes });
    const document = await store.transaction(async (tx) => {
      const taken = await opened.contents.take(tx, ready);
      const vault = vaultRecord(opened, 'vault');
      const document = documentRecord(vault, { id, sizeBytes: partBytes, content: taken });
      await tx.documents.insert(document);
      return document;
    });
    expect(document.content.store).toBe('database');
    expect((await readAll(document)).equals(content)).toBe(true);
    expect(s3.requests).toEqual([]);
  });

  describe('while the object store is down', () => {
    test('staging, parts, completing and reading fail with CONTENTS_UNAVAILABLE, and go on later', async () => {
      const { contents } = opened;
      const content = someBytes(partBytes);
      await begin(partBytes);
      s3.fault = down;
      await expect(write(0, content)).rejects.toEqual(unavailable);
      expect(await contents.parts(opened.store, id)).toEqual([]);
      s3.fault = undefined;
      await write(0, content);
      s3.fault = down;
      const complete = () => contents.complete({ id, sizeBytes: partBytes, partBytes });
      await expect(complete()).rejects.toEqual(unavailable);
      s3.fault = undefined;
      const ready = await complete();
      const document = await opened.store.transaction(async (tx) => {
        const taken = await contents.take(tx, ready);
        const vault = vaultRecord(opened, 'vault');
        const document = documentRecord(vault, { id, sizeBytes: partBytes, content: taken });
        await tx.documents.insert(document);
        return document;
      });
      s3.fault = down;
      await expect(readAll(document)).rejects.toEqual(unavailable);
      const other = id.replace(/.$/, '3');
      await expect(contents.stage(other, someBytes(mebibyte))).rejects.toEqual(unavailable);
      await expect(opened.objects.check()).rejects.toEqual(unavailable);
      s3.fault = undefined;
      expect((await readAll(document)).equals(content)).toBe(true);
      expect(opened.objects.statistics.failures).toBeGreaterThanOrEqual(5);
    });

    test('a check gives up after at most 5 seconds when the store accepts requests and does not respond', async () => {
      const limits: number[] = [];
      const over = new AbortController();
      vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
        limits.push(milliseconds);
        return over.signal;
      });
      s3.fault = () => {
        over.abort();
        return true;
      };
      await expect(opened.objects.check()).rejects.toEqual(unavailable);
      expect(limits).toHaveLength(1);
      expect(limits[0]).toBeLessThanOrEqual(5000);
    });

    test('a sweep fails, and a later one removes the objects', async () => {
      await begin(partBytes);
      await write(0, someBytes(partBytes));
      await opened.store.transaction((tx) => opened.contents.discard(tx, id));
      s3.fault = down;
      await expect(opened.sweep()).rejects.toEqual(unavailable);
      expect(await s3.uploads()).toBe(1);
      s3.fault = undefined;
      opened.clock.advance(10 * 60_000);
      await opened.sweep();
      expect(await s3.uploads()).toBe(0);
    });
  });

  describe('reading', () => {
    /** Ends responses to GET after this many bytes, `times` times. */
    function cutting(bytes: number, times: number): Fault {
      let left = times;
      return (req, res) => {
        if (req.method !== 'GET' || left === 0) return false;
        left -= 1;
        const [from = 0, to = 0] = (req.headers.range ?? '').match(/\d+/g)?.map(Number) ?? [];
        const length = to - from + 1;
        res.writeHead(206, { 'content-length': length });
        res.write(content.subarray(from, from + Math.min(bytes, length - 1)), () => res.destroy());
        return true;
      };
    }
    const content = someBytes(10 * mebibyte);

    test('waits for a store that responds slowly, and repeats requests that fail with 503', async () => {
      const document = await stored(content);
      const held: ServerResponse[] = [];
      s3.fault = (_, res) => held.length < 2 && held.push(res) > 0;
      let hasEnded = false;
      const read = readAll(document).finally(() => {
        hasEnded = true;
      });
      for (const calls of [1, 2]) {
        await expect.poll(() => held).toHaveLength(calls);
        expect(hasEnded).toBe(false);
        held.at(-1)?.writeHead(503).end();
      }
      expect((await read).equals(content)).toBe(true);
    });

    test('sixty clients that stop reading do not delay another one', async () => {
      const document = await stored(content);
      const responses: ServerResponse[] = [];
      s3.fault = (_, res) => {
        responses.push(res);
        return false;
      };
      const openIdle = async () => {
        const pieces = await opened.contents.read(document, { from: 0, to: content.length });
        const iterator = pieces[Symbol.asyncIterator]();
        // Beyond the short first request: the next one stays open.
        for (let read = 0; read < 256 * 1024; ) read += (await iterator.next()).value.length;
        return iterator;
      };
      const idle: AsyncIterator<Buffer>[] = [];
      for (let batch = 0; batch < 6; batch += 1) {
        idle.push(...(await Promise.all(Array.from({ length: 10 }, openIdle))));
      }
      expect((await readAll(document)).equals(content)).toBe(true);
      // It did not wait for one of them to end.
      expect(
        responses.filter(({ closed, writableFinished }) => closed && !writableFinished),
      ).toEqual([]);
      await Promise.all(idle.map((iterator) => iterator.return?.()));
    });

    test('goes on with another request when a response ends early', async () => {
      const document = await stored(content);
      s3.fault = cutting(100_000, 4);
      expect((await readAll(document)).equals(content)).toBe(true);
    });

    test('fails with CONTENTS_UNAVAILABLE when no response gets further', async () => {
      const document = await stored(content);
      s3.fault = cutting(0, 100);
      await expect(readAll(document)).rejects.toEqual(unavailable);
    });

    test('of a missing or truncated object fails with CONTENT_DAMAGED', async () => {
      const document = await stored(content);
      const [key = ''] = (await s3.objects()).keys();
      await s3.overwrite(key, content.subarray(0, 9 * mebibyte));
      await expect(readAll(document)).rejects.toEqual(contentError('CONTENT_DAMAGED'));
      await s3.remove(key);
      const read = opened.contents.read(document, { from: 0, to: 1 });
      await expect(read).rejects.toEqual(contentError('CONTENT_DAMAGED'));
    });

    test('requests no more bytes than a slow reader takes', async () => {
      const document = await stored(content);
      const pieces = await opened.contents.read(document, { from: 0, to: content.length });
      const before = s3.requests.length;
      for await (const piece of pieces) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
      expect(s3.requests.slice(before)).toEqual([]);
    });
  });

  describe('crashes and races', () => {
    test('a part that the object store has in another form has to be sent again', async () => {
      const [first, second] = [someBytes(partBytes, 1), someBytes(partBytes, 2)];
      await begin(partBytes);
      await write(0, first);
      const { uploadId, key } = (await opened.store.contentObjects.findPending(id, 0)) ?? {};
      const upload = { key: key ?? '', uploadId: uploadId ?? '' };
      // A process stores another attempt and is killed before it notes that.
      await opened.objects.putPart(upload, { part: 0, bytes: partBytes }, chunked(second));
      const complete = () => opened.contents.complete({ id, sizeBytes: partBytes, partBytes });
      await expect(complete()).rejects.toMatchObject({ code: 'PARTS_MISSING', parts: [0] });
      await write(0, second);
      expect(await complete()).toMatchObject({ kind: 'staged' });
    });

    test('a content whose completion was not noted is completed again', async () => {
      await begin(partBytes);
      await write(0, someBytes(partBytes));
      const { uploadId, key = '' } = (await opened.store.contentObjects.findPending(id, 0)) ?? {};
      const parts = await opened.store.contentObjects.parts(id);
      await opened.objects.completeUpload({ key, uploadId: uploadId ?? '' }, parts);
      const ready = await opened.contents.complete({ id, sizeBytes: partBytes, partBytes });
      expect(ready).toMatchObject({ stored: { digest: sha256(sha256(someBytes(partBytes))) } });
      // It takes no more parts.
      await expect(write(0, someBytes(partBytes))).rejects.toEqual(
        contentError('CONTENT_NOT_PENDING'),
      );
    });

    test('two processes that send the first parts at once share one multipart upload', async () => {
      const { store, clock, objects } = opened;
      const other = createContents({ store, clock, objects });
      await begin(2 * partBytes);
      const bytes = [someBytes(partBytes, 1), someBytes(partBytes, 2)] as const;
      await Promise.all([
        write(0, bytes[0]),
        other.writePart({ id, part: 1, bytes: partBytes }, chunked(bytes[1])),
      ]);
      expect(await s3.uploads()).toBe(1);
      await other.complete({ id, sizeBytes: 2 * partBytes, partBytes });
      expect([...(await s3.objects()).values()]).toEqual([2 * partBytes]);
    });

    test('an upload that is given up is aborted, and again a day later', async () => {
      await begin(partBytes);
      await write(0, someBytes(partBytes));
      await opened.store.transaction((tx) => opened.contents.discard(tx, id));
      await opened.sweep();
      expect(await opened.storedBytes()).toBe(0);
      expect(await opened.store.contentObjects.exist()).toBe(true);
      opened.clock.advance(day);
      await opened.sweep();
      expect(await opened.store.contentObjects.exist()).toBe(false);
    });

    test('the object of a deleted document is removed after the grace, and no bucket is listed', async () => {
      await stored(someBytes(mebibyte));
      await opened.store.transaction((tx) => tx.documents.delete(id));
      await opened.sweep();
      opened.clock.advance(2 * day - 1);
      await opened.sweep();
      expect((await s3.objects()).size).toBe(1);
      opened.clock.advance(1);
      await opened.sweep();
      expect((await s3.objects()).size).toBe(0);
      expect(await opened.store.contentObjects.exist()).toBe(false);
      expect(s3.requests.filter((request) => /^GET \/vault\/?$/.test(request))).toEqual([]);
    });
  });
});
