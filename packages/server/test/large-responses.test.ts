import { get, type IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { stalled } from './support/connection.ts';
import { documentOf, newDocument, newShare, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

const large = 3_000_000;

/** No multiple of three, so that pieces in a wrong order are noticed. */
const pattern = Buffer.from(Array.from({ length: 251 }, (_, index) => (index * 31) % 251));

async function startWithDocument(bytes: number) {
  const server = await startTestServer();
  const { developer } = server;
  const vault = await newVault(developer);
  const content = Buffer.alloc(bytes, pattern);
  const created = await developer('POST', '/api/v1/documents', {
    body: documentOf(vault.id, content, { fileName: 'Übersicht "1".pdf' }),
  });
  const path = `/api/v1/documents/${created.body.id}`;
  return { ...server, content, document: created.body, path };
}

describe('GET /documents/{id} of a large document', () => {
  test.each([98_303, 98_304, 98_305, 98_306, 196_608, large])(
    'of %i bytes returns the complete document with the right content-length',
    async (bytes) => {
      const { url, apiKey, content, document, path } = await startWithDocument(bytes);
      const response = await fetch(url + path, { headers: { 'x-api-key': apiKey } });
      const text = await response.text();
      expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(text));
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(JSON.parse(text)).toEqual({ ...document, encryptedData: content.toString('base64') });
    },
  );

  test('is also returned by its share', async () => {
    const { anonymous, developer, content, document } = await startWithDocument(large);
    const share = await newShare(developer, document.id, { access: 'anyone' });
    const opened = await anonymous('GET', `/api/v1/documents/share/${share.shareToken}`);
    expect(opened.status).toBe(200);
    expect(opened.body.encryptedData === content.toString('base64')).toBe(true);
  });

  test('uses less than 128 MiB for 20 connections that do not read 16 MiB each', async () => {
    const mebibyte = 1024 * 1024;
    const { url, apiKey, path } = await startWithDocument(16 * mebibyte);
    const before = process.memoryUsage().external;
    const responses = await Promise.all(
      Array.from(
        { length: 20 },
        () =>
          new Promise<IncomingMessage>((resolve) => {
            get(url + path, { headers: { 'x-api-key': apiKey }, agent: false }, resolve);
          }),
      ),
    );
    await stalled(responses);
    // The complete documents would be 320 MiB.
    expect(process.memoryUsage().external - before).toBeLessThan(128 * mebibyte);
    for (const response of responses) response.destroy();
  });

  test('ends the connection when the document is deleted during the response', async () => {
    const { url, apiKey, developer, path } = await startWithDocument(16_000_000);
    const response = await fetch(url + path, { headers: { 'x-api-key': apiKey } });
    expect(await developer('DELETE', path)).toMatchObject({ status: 204 });
    await expect(response.text()).rejects.toThrow('terminated');
    expect(await developer('GET', path)).toMatchObject({ status: 404 });
  });

  test('logs no error when the client disconnects during the response', async () => {
    const { url, apiKey, developer, path } = await startWithDocument(large);
    await new Promise<void>((resolve) => {
      get(url + path, { headers: { 'x-api-key': apiKey } }, (response) => {
        response.once('data', () => response.destroy()).once('close', resolve);
      });
    });
    expect(await developer('GET', path)).toMatchObject({ status: 200 });
  });

  test('is cut short by the fault truncate', async () => {
    const { url, apiKey, fault, path } = await startWithDocument(large);
    fault('truncate', { operations: 'getDocument' });
    const response = await fetch(url + path, { headers: { 'x-api-key': apiKey } });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(large);
    await expect(response.text()).rejects.toThrow('terminated');
  });
});

test('GET /documents/{id} of a small document has the right content-length', async () => {
  const { developer } = await startTestServer();
  const vault = await newVault(developer);
  const document = await newDocument(developer, vault.id);
  const { headers, body } = await developer('GET', `/api/v1/documents/${document.id}`);
  expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(JSON.stringify(body)));
});
