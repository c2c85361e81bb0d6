import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { uploadPartBytes } from '../../src/generated/rules/uploads.ts';
import { spawnCommand } from '../support/command-line.ts';
import { stalled } from '../support/connection.ts';
import { type S3Server, startS3, useS3Credentials } from '../support/contents/s3-server.ts';
import { dataFolder } from '../support/data-folder.ts';
import { refusal } from '../support/front-door.ts';
import { documentOf, newDocument, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { begin, contentOfLength, documentOfUpload, partOf, putPart } from '../support/uploads.ts';
import { someBytes } from './contents.suite.ts';

// Requests to a server with contents in S3.

let s3: S3Server;

beforeEach(async () => {
  useS3Credentials();
  s3 = await startS3();
});

afterEach(() => s3.close());

/** Starts a server with every line of its log. */
async function start() {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
  const contents = { bucket: s3.bucket, prefix: 'documents/' };
  const server = await startTestServer({ log, contents, contentsEndpoint: s3.endpoint });
  const vault = await newVault(server.developer);
  const send = (upload: { id: string }, part: number, bytes: Uint8Array) =>
    putPart({
      url: server.url,
      headers: { 'x-api-key': server.apiKey },
      id: upload.id,
      part,
      bytes,
    });
  return { ...server, vault, lines, send };
}

test('an upload in parts becomes one object, which is read by ranges', async () => {
  const { developer, vault, send } = await start();
  const content = contentOfLength(2 * uploadPartBytes + 1000);
  const upload = (await begin(developer, vault.id, content.length)).body;
  const sent = [
    await send(upload, 2, partOf(content, 2)),
    await send(upload, 0, someBytes(uploadPartBytes, 7)),
    await send(upload, 1, partOf(content, 1)),
    await send(upload, 0, partOf(content, 0)),
  ];
  expect(sent.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
  const listed = (await developer('GET', `/api/v1/uploads/${upload.id}`)).body;
  expect(listed.parts.map(({ part }: { part: number }) => part)).toEqual([0, 1, 2]);
  expect(await s3.uploads()).toBe(1);

  const created = await developer('POST', '/api/v1/documents', { body: documentOfUpload(upload) });
  expect(created).toMatchObject({ status: 201, body: { id: upload.id } });
  expect([...(await s3.objects()).values()]).toEqual([content.length]);
  expect(await s3.uploads()).toBe(0);
  const { contentUrl } = created.body;
  const whole = await developer('GET', contentUrl);
  expect(whole.body.equals(content)).toBe(true);
  const range = `bytes=${uploadPartBytes - 5}-${uploadPartBytes + 4}`;
  const part = await developer('GET', contentUrl, { headers: { range } });
  expect(part.status).toBe(206);
  expect(part.body.equals(content.subarray(uploadPartBytes - 5, uploadPartBytes + 5))).toBe(true);
});

test('a client that pauses receives the whole object unchanged', async () => {
  const { developer, vault, url, apiKey } = await start();
  const content = contentOfLength(20_000_000);
  const { contentUrl } = await newDocument(developer, vault.id, content);
  const request = get(url + contentUrl, { headers: { 'x-api-key': apiKey }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await stalled([response]);
  expect((await buffer(response)).equals(content)).toBe(true);
});

test('an upload that is given up leaves nothing in S3', async () => {
  const { developer, vault, send, clock, settled } = await start();
  const content = contentOfLength(uploadPartBytes + 1);
  const upload = (await begin(developer, vault.id, content.length)).body;
  await send(upload, 0, partOf(content, 0));
  expect(await s3.uploads()).toBe(1);
  expect((await developer('DELETE', `/api/v1/uploads/${upload.id}`)).status).toBe(204);
  clock.advance(60_000);
  await settled();
  expect(await s3.uploads()).toBe(0);
  expect(await s3.bytes()).toBe(0);
});

test('a part that S3 refuses can be sent again', async () => {
  const { developer, vault, send } = await start();
  const content = contentOfLength(1000);
  const upload = (await begin(developer, vault.id, content.length)).body;
  s3.fault = (req) => {
    req.socket.destroy();
    return true;
  };
  expect(await send(upload, 0, content)).toMatchObject(refusal('INTERNAL_ERROR'));
  s3.fault = undefined;
  expect((await send(upload, 0, content)).status).toBe(204);
});

test('neither log nor response has what S3 says about bucket, account and credentials', async () => {
  const { developer, vault, send, lines } = await start();
  const document = await newDocument(developer, vault.id, someBytes(300_000));
  const upload = (await begin(developer, vault.id, 1000)).body;
  const secret = 'arn:aws:iam::123456789012:user/secret';
  s3.fault = (_, res) => {
    res.writeHead(403, { 'content-type': 'application/xml', 'x-amz-request-id': secret }).end(
      `<Error><Code>AccessDenied</Code><Message>User ${secret} may not read arn:aws:s3:::${s3.bucket}</Message>
       <AWSAccessKeyId>${secret}</AWSAccessKeyId><BucketName>${secret}</BucketName>
       <StringToSign>${secret}</StringToSign><HostId>${secret}</HostId></Error>`,
    );
    return true;
  };
  const replies = [
    await developer('GET', document.contentUrl),
    await developer('GET', `/api/v1/documents/${document.id}`),
    await developer('POST', '/api/v1/documents', {
      body: documentOf(vault.id, someBytes(300_000)),
    }),
    await send(upload, 0, someBytes(1000)),
  ];
  for (const reply of replies) {
    expect(reply).toMatchObject(refusal('INTERNAL_ERROR'));
    expect(JSON.stringify([reply.body, ...reply.headers])).not.toMatch(/secret|arn:|S3RVER/);
  }
  const log = lines.join('');
  expect(log).toContain('the object store is not available: AccessDenied, status 403');
  expect(log).not.toMatch(/secret|arn:|S3RVER/);
  expect(log).not.toContain(s3.endpoint);
});

test('no text of a request changes the address or the bucket of requests to S3', async () => {
  const { developer, vault } = await start();
  const reached: string[] = [];
  const other = createServer((req, res) => {
    reached.push(req.url ?? '');
    res.end();
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const address = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  const text = `http://${address}/../../other-bucket`;
  const headers = {
    'x-forwarded-host': address,
    forwarded: `host=${address}`,
    'x-amz-copy-source': '/other-bucket/key',
    'x-amz-website-redirect-location': text,
  };
  const sent = (fields: Record<string, string>) =>
    developer('POST', '/api/v1/documents', {
      body: documentOf(vault.id, someBytes(200_000), fields),
      headers,
    });
  for (const id of [text, '../other-bucket/key', `${address}`]) {
    expect((await sent({ id })).status).toBe(400);
  }
  const before = s3.requests.length;
  const created = await sent({ fileName: `${address} other-bucket`, mimeType: 'text/x-other' });
  expect(created.status).toBe(201);
  await developer('GET', created.body.contentUrl, { headers });
  const requests = s3.requests.slice(before);
  expect(requests.length).toBeGreaterThan(1);
  for (const request of requests) {
    expect(request).toMatch(
      new RegExp(`^(PUT|GET) /${s3.bucket}/documents/${created.body.id}/[0-9a-f-]{36}$`),
    );
  }
  expect(reached).toEqual([]);
});

/** Makes the imports of a process behave as if the client for S3 was not installed. */
const withoutClient = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== '@aws-sdk/client-s3') return next(specifier, context);
      throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });`)}`;

test('start names the package that contents in S3 need when it is not installed', async () => {
  const server = spawnCommand(['start', '--port', '0', '--data', await dataFolder()], {
    DOCUMENT_VAULT_CONTENTS: 's3://vault',
    NODE_OPTIONS: `--import=${withoutClient}`,
  });
  const [output, [code]] = await Promise.all([text(server.stderr), once(server, 'exit')]);
  expect(output).toBe(
    'Contents in S3 need the package @aws-sdk/client-s3: npm install @aws-sdk/client-s3\n',
  );
  expect(code).toBe(1);
});

test('a part is stored with one transaction', async () => {
  const { developer, vault, send, clock, url, settled } = await start();
  const upload = (await begin(developer, vault.id, 2 * uploadPartBytes)).body;
  const content = contentOfLength(2 * uploadPartBytes);
  await send(upload, 0, partOf(content, 0));
  const transactions = async () => {
    await settled();
    clock.advance(1_000);
    const page = await (await fetch(`${url}/metrics`)).text();
    return Number(/^document_vault_store_transactions_total (\d+)$/m.exec(page)?.[1]);
  };
  const before = await transactions();
  expect(await send(upload, 1, partOf(content, 1))).toMatchObject({ status: 204 });
  expect((await transactions()) - before).toBe(1);
});
