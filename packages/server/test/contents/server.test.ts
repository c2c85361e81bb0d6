import type { Socket } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uploadPartBytes } from '../../src/generated/rules/uploads.ts';
import { startServer } from '../../src/index.ts';
import { command, commandJson } from '../support/command-line.ts';
import { type S3Server, startS3, useS3Credentials } from '../support/contents/s3-server.ts';
import { dataFolder, inDatabase } from '../support/data-folder.ts';
import { refusal } from '../support/front-door.ts';
import { documentOf, newDocument, newVault } from '../support/resources.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import {
  begin,
  contentOfLength,
  documentOfUpload,
  newId,
  partOf,
  putPart,
} from '../support/uploads.ts';
import { someBytes } from './contents.suite.ts';

let s3: S3Server;
let data: string;

beforeEach(async () => {
  useS3Credentials();
  s3 = await startS3();
  data = await dataFolder();
});

afterEach(() => s3.close());

const large = someBytes(300_000);

const place = () => ({
  contents: { bucket: s3.bucket, prefix: 'documents/' },
  contentsEndpoint: s3.endpoint,
});

const flags = () => [
  '--data',
  data,
  '--contents',
  `s3://${s3.bucket}/documents`,
  '--contents-endpoint',
  s3.endpoint,
];

/** A log that keeps the messages of its errors. */
function quiet() {
  const lines: { msg: string; err?: { message: string } }[] = [];
  const log = pino({ level: 'error' }, { write: (line) => lines.push(JSON.parse(line)) });
  return { lines, log };
}

const down = (req: { socket: { destroy(): void } }) => {
  req.socket.destroy();
  return true;
};

/** Starts a server with contents in S3 and a document there. */
async function startWithDocument(log = quiet().log) {
  const server = await startTestServer({ data, log, ...place() });
  const vault = await newVault(server.developer);
  const document = await newDocument(server.developer, vault.id, large);
  return { ...server, vault, path: `/api/v1/documents/${document.id}` };
}

const failure = {
  status: 500,
  body: {
    error: {
      code: 'INTERNAL_ERROR',
      message: 'The storage of contents does not respond. Try again in a few seconds.',
    },
  },
};

describe('a server with contents in S3', () => {
  test('stores and returns documents above 128 KiB as objects, and removes them 30 days after deletion', async () => {
    const server = await startWithDocument();
    expect([...(await s3.objects()).values()]).toEqual([large.length]);
    const { body } = await server.developer('GET', server.path);
    expect(Buffer.from(body.encryptedData, 'base64').equals(large)).toBe(true);
    expect((await server.developer('DELETE', server.path)).status).toBe(204);
    server.clock.advance(60_000);
    await server.settled();
    server.clock.advance(29 * 86_400_000);
    await server.settled();
    expect((await s3.objects()).size).toBe(1);
    server.clock.advance(86_400_000);
    await server.settled();
    expect((await s3.objects()).size).toBe(0);
  });

  test('returns INTERNAL_ERROR with Retry-After for contents while S3 is down, and serves everything else', async () => {
    const { log, lines } = quiet();
    const server = await startWithDocument(log);
    s3.fault = down;
    const read = await server.developer('GET', server.path);
    expect(read).toMatchObject(failure);
    expect(read.headers.get('retry-after')).toBe('5');
    const body = documentOf(server.vault.id, large);
    expect(await server.developer('POST', '/api/v1/documents', { body })).toMatchObject(failure);
    expect(lines.map(({ msg }) => msg)).toEqual(['request failed', 'request failed']);

    await newDocument(server.developer, server.vault.id, 'small');
    expect((await server.developer('GET', '/api/v1/documents')).body.data).toHaveLength(2);
    const [instance] = (await server.developer('GET', '/api/v1/instances')).body.data;
    const health = await server.developer('GET', `/api/v1/instances/${instance.id}/health`);
    expect(health.body.status).toBe('degraded');
    expect(health.body.checks).toContainEqual(
      expect.objectContaining({
        name: 'contents',
        status: 'degraded',
        message: 'The object store of the contents cannot be reached.',
      }),
    );
    // Every process would become unready, and nothing would be served.
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    server.clock.advance(2000);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^document_vault_contents_failures_total [2-9]/m);

    s3.fault = undefined;
    expect((await server.developer('GET', server.path)).status).toBe(200);
  });

  test('refuses a small content under an id whose large content is still being stored, which stays', async () => {
    const server = await startWithDocument();
    const id = newId();
    const send = (content: Buffer | string) =>
      server.developer('POST', '/api/v1/documents', {
        body: documentOf(server.vault.id, content, { id }),
      });
    const storing = new Promise<Socket>((resolve) => {
      s3.fault = (req) => {
        resolve(req.socket);
        return req.method === 'PUT';
      };
    });
    const sent = send(large);
    const held = await storing;
    expect(await send('small')).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'id', constraint: 'unique' }),
    );
    s3.fault = undefined;
    held.destroy();
    expect((await sent).status).toBe(201);
    server.clock.advance(600_000);
    await server.settled();
    const { body } = await server.developer('GET', `/api/v1/documents/${id}`);
    expect(Buffer.from(body.encryptedData, 'base64').equals(large)).toBe(true);
  });

  test('leaves no document when S3 fails during an upload', async () => {
    const server = await startWithDocument();
    s3.fault = down;
    const body = documentOf(server.vault.id, large);
    await server.developer('POST', '/api/v1/documents', { body });
    s3.fault = undefined;
    expect((await server.developer('GET', '/api/v1/documents')).body.data).toHaveLength(1);
    for (const pause of [60_000, 600_000]) {
      server.clock.advance(pause);
      await server.settled();
    }
    expect((await s3.objects()).size).toBe(1);
    const rows = inDatabase(data, (database) =>
      database.prepare('SELECT state FROM content_objects').pluck().all(),
    );
    expect(rows).toEqual(['taken']);
  });
});

describe('start', () => {
  const refused = async (changes: object) =>
    startServer({ port: 0, data, logLevel: 'silent', ...place(), ...changes });

  test('refuses a bucket that does not exist, and names it with the endpoint', async () => {
    const start = refused({ contents: { bucket: 'nothing', prefix: '' } });
    await expect(start).rejects.toThrow(
      `The bucket nothing at ${s3.endpoint} cannot be used: the object store is not available: NotFound, status 404`,
    );
  });

  test('refuses an endpoint that does not respond', async () => {
    await s3.close();
    await expect(refused({})).rejects.toThrow(/cannot be used: .*ECONNREFUSED.*Check its name/s);
  });

  test('refuses a database with contents in S3 when no bucket is configured', async () => {
    const server = await startWithDocument();
    await server.close();
    const start = startServer({ port: 0, data, logLevel: 'silent' });
    await expect(start).rejects.toThrow(
      'Contents of this database are in an object store: set DOCUMENT_VAULT_CONTENTS to its bucket.',
    );
  });

  test.each(['s3://', 's3://Bucket', 's3://vault/a//b', 's3://vault/..', 'http://vault', 's3://v'])(
    'refuses --contents %s',
    async (value) => {
      const { code, err } = await command(['start', '--contents', value]);
      expect(code).toBe(2);
      expect(err).toContain('--contents');
      expect(err).toContain('a bucket with or without a prefix such as s3://bucket/prefix');
    },
  );
});

test('backup and restore say that contents in S3 are not in the copy, and what they need', async () => {
  const server = await startWithDocument();
  await newDocument(server.developer, server.vault.id, 'small');
  await server.close();
  const file = join(await dataFolder(), 'backup.db');
  const backup = await command(['backup', file, '--data', data]);
  expect(backup.out).toContain(
    '\n1 contents are in S3, and not in the backup. Keep the bucket, and set DOCUMENT_VAULT_CONTENTS_GRACE to how long you keep backups.',
  );
  const folder = await dataFolder();
  const restored = await command(['restore', file, '--data', folder]);
  expect(restored.out).toContain(
    '\n1 contents are in S3, and not in the backup. Start the server with their bucket in DOCUMENT_VAULT_CONTENTS; doctor --contents finds those that are missing.',
  );
  expect(await commandJson(['restore', file, '--data', folder])).toMatchObject({
    contentsInS3: 1,
  });
});

describe('doctor --contents', () => {
  async function examine(argv: readonly string[] = ['--contents']) {
    const { code, out } = await command(['doctor', '--json', ...argv, ...flags().slice(0, 2)], {
      env: {
        DOCUMENT_VAULT_CONTENTS: `s3://${s3.bucket}/documents`,
        DOCUMENT_VAULT_CONTENTS_ENDPOINT: s3.endpoint,
      },
    });
    const { checks } = JSON.parse(out) as {
      checks: { name: string; title: string; problems: string[] }[];
    };
    return { code, contents: checks.find(({ name }) => name === 'contents') };
  }

  test('reads the contents in the database and in S3, and finds no problem', async () => {
    const server = await startWithDocument();
    await newDocument(server.developer, server.vault.id, 'small');
    await newDocument(server.developer, server.vault.id, '');
    await server.close();
    expect(await examine()).toMatchObject({
      code: 0,
      contents: {
        title: 'Contents have the digests of their documents (3 read, 300005 bytes)',
        problems: [],
      },
    });
    expect((await examine([])).contents).toBeUndefined();
  });

  test('names the documents whose contents have changed or are missing', async () => {
    const server = await startWithDocument();
    const small = await newDocument(server.developer, server.vault.id, 'small');
    const other = await newDocument(server.developer, server.vault.id, large);
    await server.close();
    const first = server.path.split('/').at(-1);
    for (const key of (await s3.objects()).keys()) {
      if (key.includes(other.id)) await s3.remove(key);
      else await s3.overwrite(key, someBytes(large.length, 2));
    }
    inDatabase(data, (database) =>
      database.prepare("UPDATE document_contents SET data = CAST('smell' AS BLOB)").run(),
    );
    const { code, contents } = await examine();
    expect(code).toBe(1);
    expect(contents?.problems.toSorted()).toEqual(
      [
        `document ${first} has a content with another digest`,
        `document ${small.id} has a content with another digest`,
        `document ${other.id} has no complete content`,
      ].toSorted(),
    );
  });

  /** Makes a document of three parts, of which the last one is short. */
  async function newDocumentOfParts(
    { developer, url, apiKey }: TestServer,
    vaultId: string,
  ): Promise<string> {
    const content = contentOfLength(2 * uploadPartBytes + 1000);
    const upload = (await begin(developer, vaultId, content.length)).body;
    for (const part of [0, 1, 2]) {
      const bytes = partOf(content, part);
      await putPart({ url, headers: { 'x-api-key': apiKey }, id: upload.id, part, bytes });
    }
    const body = documentOfUpload(upload);
    expect(await developer('POST', '/api/v1/documents', { body })).toMatchObject({ status: 201 });
    return upload.id;
  }

  test('names the damaged parts of a content in the database', async () => {
    const server = await startTestServer({ data });
    const vault = await newVault(server.developer);
    const id = await newDocumentOfParts(server, vault.id);
    await newDocumentOfParts(server, vault.id);
    await server.close();
    const bytes = 2 * (2 * uploadPartBytes + 1000);
    expect(await examine()).toMatchObject({
      code: 0,
      contents: { title: expect.stringContaining(`(2 read, ${bytes} bytes)`) },
    });
    inDatabase(data, (database) =>
      database
        .prepare(
          `UPDATE document_contents SET data = ZEROBLOB(LENGTH(data)) WHERE piece = 0 AND attempt IN (
             SELECT number FROM content_parts WHERE document_id = ? AND part > 0)`,
        )
        .run(id),
    );
    expect(await examine()).toMatchObject({
      code: 1,
      contents: { problems: [`document ${id} has damaged parts: 1, 2`] },
    });
  });

  test('names the damaged and missing parts of a content in S3', async () => {
    const server = await startTestServer({ data, ...place() });
    const vault = await newVault(server.developer);
    const id = await newDocumentOfParts(server, vault.id);
    await server.close();
    expect(await examine()).toMatchObject({ code: 0 });
    const [key = ''] = (await s3.objects()).keys();
    const content = contentOfLength(2 * uploadPartBytes);
    content[uploadPartBytes] = 1;
    await s3.overwrite(key, content);
    expect(await examine()).toMatchObject({
      code: 1,
      contents: { problems: [`document ${id} has damaged parts: 1, 2`] },
    });
  });
});
