/** Sends a file to an object store in parts and reads it back, with `fetch` alone. */
import { readAll, sendParts, serveTransfers } from '../uploads/client-process.ts';

const [, , bucketUrl = ''] = process.argv;

async function send(
  url: string,
  method: string,
  body: string | Buffer<ArrayBuffer> | null = null,
): Promise<Response> {
  const response = await fetch(url, { method, body });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status}`);
  return response;
}

/** @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
async function upload(path: string): Promise<string> {
  const key = crypto.randomUUID();
  const object = `${bucketUrl}/${key}`;
  const created = await (await send(`${object}?uploads`, 'POST')).text();
  const [, uploadId = ''] = /<UploadId>(.+)<\/UploadId>/.exec(created) ?? [];
  const parts = await sendParts(path, async ({ number, body }) => {
    const address = `${object}?partNumber=${number + 1}&uploadId=${uploadId}`;
    const response = await send(address, 'PUT', body);
    await response.arrayBuffer();
    const etag = response.headers.get('etag');
    return `<Part><PartNumber>${number + 1}</PartNumber><ETag>${etag}</ETag></Part>`;
  });
  const list = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  await (await send(`${object}?uploadId=${uploadId}`, 'POST', list)).arrayBuffer();
  return key;
}

serveTransfers({ upload, download: (key) => readAll(`${bucketUrl}/${key}`) });
