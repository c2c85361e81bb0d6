import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startS3, useS3Credentials } from '../support/contents/s3-server.ts';
import { newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { begin, contentOfLength, documentOfUpload, putPart } from '../support/uploads.ts';

/** Returns the server's sockets of the requests that create documents. */
function watchSockets(): Socket[] {
  const sockets: Socket[] = [];
  const note: ChannelListener = (message) => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket };
    if (request.method === 'POST' && request.url === '/api/v1/documents') sockets.push(socket);
  };
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  return sockets;
}

test('an upload that S3 joins for longer than idleTimeout becomes one document, also when repeated', async () => {
  useS3Credentials();
  const s3 = await startS3();
  onTestFinished(() => s3.close());
  const contents = { bucket: s3.bucket, prefix: 'documents/' };
  const server = await startTestServer({ contents, contentsEndpoint: s3.endpoint });
  const { developer, url, apiKey } = server;
  const vault = await newVault(developer);
  const upload = (await begin(developer, vault.id, 1000)).body;
  const headers = { 'x-api-key': apiKey };
  await putPart({ url, headers, id: upload.id, part: 0, bytes: contentOfLength(1000) });

  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let joins = 0;
  s3.fault = (req, res) => {
    if (req.method !== 'POST' || !req.url?.includes('uploadId=')) return false;
    joins += 1;
    void released.then(() => s3.handle(req, res));
    return true;
  };
  const sockets = watchSockets();
  const finish = () =>
    developer('POST', '/api/v1/documents', { body: documentOfUpload(upload) }).catch(String);
  const first = finish();
  await expect.poll(() => joins).toBe(1);
  const repeated = finish();
  await expect.poll(() => sockets.length).toBe(2);
  // What Node does when the connections were idle for `idleTimeout`, twice.
  for (const socket of [...sockets, ...sockets]) socket.emit('timeout');
  release();
  const [document, again] = await Promise.all([first, repeated]);
  expect(document).toMatchObject({ status: 201, body: { id: upload.id } });
  expect(again).toMatchObject({ status: 201, body: { id: upload.id } });
  expect(joins).toBe(1);
  const { data } = (await developer('GET', '/api/v1/events?type=document.uploaded')).body;
  expect(data).toHaveLength(1);
});
