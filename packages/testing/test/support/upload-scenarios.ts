import { createHash } from 'node:crypto';
import { document } from './content-scenarios.ts';
import type { Recorder } from './recorder.ts';

// Requests about uploads in parts and contents, which test kit and server must respond to alike.

const hour = 3_600_000;
const day = 24 * hour;
const missing = '019cadd6-a210-7670-891a-985ccc8c71a2';
/** Bytes of every part but the last. */
const partBytes = 8 * 1024 * 1024;

/** Bytes whose ranges differ from each other. */
function bytesOf(length: number, seed: number): Uint8Array<ArrayBuffer> {
  const pattern = Uint8Array.from({ length: 251 }, (_, index) => (index * 7 + seed) % 256);
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += pattern.length) {
    bytes.set(pattern.subarray(0, length - start), start);
  }
  return bytes;
}

/** Returns the value of `Content-Digest` (RFC 9530). */
function digestOf(bytes: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

/** The properties of a document that do not describe its content. */
const { encryptedData: _, sizeBytes: __, ...described } = document;

interface Author {
  readonly as: string;
  readonly vaultId: string;
}

/** Signs up and creates a vault. */
async function author(recorder: Recorder, email: string): Promise<Author> {
  const { as } = await recorder.signUp(email);
  const vault = await recorder.send('POST /api/v1/vaults', { as, body: { name: 'A' } });
  return { as, vaultId: vault.id };
}

/** Uploads parts of these lengths and makes the document. */
async function uploaded(
  recorder: Recorder,
  { as, vaultId }: Author,
  lengths: readonly number[],
): Promise<string> {
  const sizeBytes = lengths.reduce((sum, length) => sum + length, 0);
  const body = { vaultId, sizeBytes };
  const { id } = await recorder.send('POST /api/v1/uploads', { as, body });
  for (const [part, length] of lengths.entries()) {
    const bytes = bytesOf(length, part);
    await recorder.send(`PUT /api/v1/uploads/${id}/parts/${part}`, { as, body: bytes });
  }
  const finished = { ...described, vaultId, uploadId: id, sizeBytes };
  await recorder.send('POST /api/v1/documents', { as, body: finished });
  return id;
}

export async function newUploads(recorder: Recorder): Promise<void> {
  const { as, vaultId } = await author(recorder, 'ada@uploads.example');
  const bob = await author(recorder, 'bob@uploads.example');
  const create = (part: object, by = as) =>
    recorder.send('POST /api/v1/uploads', { as: by, body: { vaultId, sizeBytes: 5, ...part } });
  const id = '019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64';
  await create({ id });
  await create({});
  for (const sizeBytes of [0, -1, 1.5, '5', 16 * 1024 ** 3, 16 * 1024 ** 3 + 1]) {
    await create({ sizeBytes });
  }
  for (const wrong of ['x', id.toUpperCase(), id.replace('-7', '-4'), null]) {
    await create({ id: wrong });
  }
  for (const target of [missing, bob.vaultId, '']) await create({ vaultId: target });
  await create({ fileName: 'a.txt' });
  await create({ id });
  await create({ id, vaultId: bob.vaultId }, bob.as);
  await recorder.send('POST /api/v1/documents', { as, body: { ...document, vaultId, id } });
  for (const by of [as, bob.as]) {
    for (const upload of [id, missing, 'x']) {
      await recorder.send(`GET /api/v1/uploads/${upload}`, { as: by });
    }
  }
  await recorder.send(`DELETE /api/v1/uploads/${id}`, { as: bob.as });
  await recorder.send(`DELETE /api/v1/uploads/${id}`, { as });
  await recorder.send(`DELETE /api/v1/uploads/${id}`, { as });
  await recorder.send(`GET /api/v1/uploads/${id}`, { as });
  await create({ id });
  await recorder.send('GET /api/v1/users/me', { as });
  await recorder.send(`PUT /api/v1/vaults/${vaultId}`, { as, body: { isActive: false } });
  await create({});
  await recorder.send('POST /api/v1/uploads');
  const { key } = await recorder.send('POST /api/v1/api-keys', {
    as,
    body: { name: 'R', scopes: ['documents:read'] },
  });
  await recorder.send('POST /api/v1/uploads', { key, body: { vaultId, sizeBytes: 5 } });
  await recorder.send(`GET /api/v1/uploads/${id}`, { key });
}

export async function chosenIds(recorder: Recorder): Promise<void> {
  const { as, vaultId } = await author(recorder, 'ada@ids.example');
  const bob = await author(recorder, 'bob@ids.example');
  const create = (id: string, by: Author = { as, vaultId }) =>
    recorder.send('POST /api/v1/documents', {
      as: by.as,
      body: { ...document, vaultId: by.vaultId, id },
    });
  const id = '019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64';
  await create(id.toUpperCase());
  await create('x');
  await create(id);
  await create(id);
  await create(id, bob);
  await recorder.send(`DELETE /api/v1/documents/${id}`, { as });
  await create(id);
  const made = await recorder.send('POST /api/v1/documents', {
    as,
    body: { ...document, vaultId },
  });
  await recorder.send(`DELETE /api/v1/documents/${made.id}`, { as });
  await create(made.id, bob);
  const sizeBytes = 5;
  await recorder.send('POST /api/v1/uploads', { as, body: { id: made.id, vaultId, sizeBytes } });
  await recorder.send(`DELETE /api/v1/vaults/${vaultId}`, { as });
  await create(id, bob);
}

export async function parts(recorder: Recorder): Promise<void> {
  const { as, vaultId } = await author(recorder, 'ada@parts.example');
  const bob = await author(recorder, 'bob@parts.example');
  const sizeBytes = 2 * partBytes + 5;
  const { id } = await recorder.send('POST /api/v1/uploads', { as, body: { vaultId, sizeBytes } });
  const put = (part: number | string, body: unknown, headers: Record<string, string> = {}) =>
    recorder.send(`PUT /api/v1/uploads/${id}/parts/${part}`, { as, body, headers });
  const finish = (change: object = {}, headers: Record<string, string> = {}) =>
    recorder.send('POST /api/v1/documents', {
      as,
      headers,
      body: { ...described, vaultId, uploadId: id, sizeBytes, ...change },
    });
  const [first, second, last] = [bytesOf(partBytes, 0), bytesOf(partBytes, 1), bytesOf(5, 2)];
  await put(2, last);
  await put(2, bytesOf(5, 9));
  await put(2, last, { 'content-digest': digestOf(last) });
  await put(2, last, { 'content-digest': `unixsum=:AAA=:, ${digestOf(last)}` });
  await put(2, last, { 'content-digest': digestOf(first) });
  await put(2, last, { 'content-digest': 'sha-512=:AAAA:' });
  await recorder.send(`GET /api/v1/uploads/${id}`, { as });
  for (const length of [0, 4, 6]) await put(2, bytesOf(length, 2));
  await put(0, last);
  for (const part of ['3', '-1', '01', '1.5', 'x', '9999999999', '%20']) await put(part, last);
  await put(2, '{}');
  await put(2, last, { 'content-type': 'text/plain' });
  await recorder.send(`PUT /api/v1/uploads/${id}/parts/2`, { as: bob.as, body: last });
  await recorder.send(`PUT /api/v1/uploads/${missing}/parts/2`, { as, body: last });
  await recorder.send(`PUT /api/v1/uploads/${id}/parts/2`, { body: last });
  await finish();
  await put(1, second, { 'content-digest': digestOf(second) });
  await finish();
  await put(0, first);
  await finish({ sizeBytes: 5 });
  await finish({ vaultId: bob.vaultId });
  await finish({ vaultId: missing });
  await finish({ encryptedData: 'AAAA' });
  await finish({ id });
  await finish({ uploadId: missing });
  await recorder.send('POST /api/v1/documents', {
    as: bob.as,
    body: { ...described, vaultId: bob.vaultId, uploadId: id, sizeBytes },
  });
  await recorder.send(`GET /api/v1/uploads/${id}`, { as });
  const once = { 'idempotency-key': 'once' };
  await finish({}, once);
  await finish({}, once);
  await finish();
  await put(2, last);
  await recorder.send(`GET /api/v1/uploads/${id}`, { as });
  await recorder.send(`DELETE /api/v1/uploads/${id}`, { as });
  await recorder.send(`GET /api/v1/documents/${id}/content`, { as });
  await recorder.send('GET /api/v1/vaults', { as });
  await recorder.send('GET /api/v1/users/me', { as });
  await recorder.send('GET /api/v1/events?type=document.uploaded', { as });
}

export async function expiredUploads(recorder: Recorder): Promise<void> {
  const email = 'ada@expiry.example';
  const { as, vaultId } = await author(recorder, email);
  const id = '019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64';
  const body = { vaultId, sizeBytes: 5 };
  await recorder.send('POST /api/v1/uploads', { as, body: { ...body, id } });
  await recorder.send(`PUT /api/v1/uploads/${id}/parts/0`, { as, body: bytesOf(5, 0) });
  recorder.advance(day - 1);
  const signIn = async () => {
    const login = { email, password: 'correct horse battery' };
    return { as: (await recorder.send('POST /auth/login', { body: login })).accessToken };
  };
  const by = await signIn();
  await recorder.send(`GET /api/v1/uploads/${id}`, by);
  await recorder.send(`PUT /api/v1/uploads/${id}/parts/0`, { ...by, body: bytesOf(5, 1) });
  recorder.advance(1);
  await recorder.send(`GET /api/v1/uploads/${id}`, by);
  await recorder.send(`PUT /api/v1/uploads/${id}/parts/0`, { ...by, body: bytesOf(5, 1) });
  await recorder.send(`DELETE /api/v1/uploads/${id}`, by);
  const finished = { ...described, ...body, uploadId: id };
  await recorder.send('POST /api/v1/documents', { ...by, body: finished });
  await recorder.send(`GET /api/v1/documents/${id}`, by);
  await recorder.send('POST /api/v1/uploads', { ...by, body: { ...body, id } });
}

export async function openUploads(recorder: Recorder): Promise<void> {
  const { as, vaultId } = await author(recorder, 'ada@reserved.example');
  const other = await recorder.send('POST /api/v1/vaults', { as, body: { name: 'B' } });
  const create = (body: object) => recorder.send('POST /api/v1/uploads', { as, body });
  const { id } = await create({ vaultId, sizeBytes: 1024 });
  for (let open = 1; open < 20; open++) await create({ vaultId: other.id, sizeBytes: 16 });
  await create({ vaultId, sizeBytes: 1 });
  await recorder.send('GET /api/v1/users/me', { as });
  await recorder.send('GET /api/v1/vaults', { as });
  await recorder.send(`DELETE /api/v1/uploads/${id}`, { as });
  await create({ vaultId, sizeBytes: 2 });
  await create({ vaultId, sizeBytes: 2 });
  await recorder.send(`DELETE /api/v1/vaults/${other.id}`, { as });
  await recorder.send('GET /api/v1/users/me', { as });
  await create({ vaultId, sizeBytes: 3 });
}

/** Conditional requests and ranges of a content of this length. */
function requestsOf(length: number, etag: string): readonly Record<string, string>[] {
  const ranges = ['0-0', '0-', '1-3', '-1', `-${length + 9}`, `${length - 1}-`, `0-${length + 9}`];
  const others = ['3-1', '-', '0-1,3-4', ' 1 - 2', '-0', `${length}-`, `${length}-${length + 1}`];
  return [
    {},
    ...[...ranges, ...others].map((range) => ({ range: `bytes=${range}` })),
    { range: 'items=0-1' },
    { range: 'bytes=0-1', 'if-range': etag },
    { range: 'bytes=0-1', 'if-range': `W/${etag}` },
    { range: 'bytes=0-1', 'if-range': '"other"' },
    { range: `bytes=${length}-`, 'if-range': '"other"' },
    { 'if-none-match': etag },
    { 'if-none-match': `W/${etag}, "other"` },
    { 'if-none-match': '*', range: `bytes=${length}-` },
    { 'if-none-match': '"other"', range: 'bytes=1-2' },
  ];
}

export async function contents(recorder: Recorder): Promise<void> {
  const { as, vaultId } = await author(recorder, 'ada@contents.example');
  const bob = await author(recorder, 'bob@contents.example');
  const create = (part: object) =>
    recorder.send('POST /api/v1/documents', { as, body: { ...document, vaultId, ...part } });
  const small = await create({});
  const empty = await create({ encryptedData: '', sizeBytes: 0 });
  for (const { id, sizeBytes } of [small, empty]) {
    const path = `GET /api/v1/documents/${id}/content`;
    await recorder.send(path, { as });
    const etag = recorder.etag() ?? '';
    for (const headers of requestsOf(sizeBytes, etag)) await recorder.send(path, { as, headers });
  }
  const path = `/api/v1/documents/${small.id}/content`;
  await recorder.send(`GET ${path}`);
  await recorder.send(`GET ${path}`, { as: bob.as });
  await recorder.send(`PUT ${path}`, { as, body: {} });
  for (const scopes of [['documents:read'], ['documents:write']]) {
    const body = { name: 'K', scopes };
    const { key } = await recorder.send('POST /api/v1/api-keys', { as, body });
    await recorder.send(`GET ${path}`, { key });
    await recorder.send(`GET ${path}`, { key, headers: { range: 'bytes=1-' } });
  }
  await recorder.send(`DELETE /api/v1/documents/${small.id}`, { as });
  await recorder.send(`GET ${path}`, { as });
  await recorder.send(`GET /api/v1/documents/${missing}/content`, { as });
}

/** Content of several parts. */
export async function contentsOfParts(recorder: Recorder): Promise<void> {
  const { as, vaultId } = await author(recorder, 'ada@several.example');
  const id = await uploaded(recorder, { as, vaultId }, [partBytes, partBytes, 5]);
  const size = 2 * partBytes + 5;
  const path = `GET /api/v1/documents/${id}/content`;
  const read = (range: string, headers = {}) =>
    recorder.send(path, { as, headers: { range: `bytes=${range}`, ...headers } });
  await recorder.send(path, { as });
  const etag = recorder.etag() ?? '';
  for (const border of [partBytes, 2 * partBytes]) {
    await read(`${border - 3}-${border + 2}`);
    await read(`${border - 1}-${border - 1}`);
    await read(`${border}-${border}`);
  }
  await read(`${partBytes - 1}-${2 * partBytes}`, { 'if-range': etag });
  await read('-6');
  await read(`${size}-`);
  await recorder.send(path, { as, headers: { 'if-none-match': etag } });
}

/** A content that is too large for JSON. */
export async function largeContents(recorder: Recorder): Promise<void> {
  const { as, vaultId } = await author(recorder, 'ada@large.example');
  const id = await uploaded(recorder, { as, vaultId }, [...Array(4).fill(partBytes), 1]);
  await recorder.send(`GET /api/v1/documents/${id}`, { as });
  await recorder.send(`GET /api/v1/documents?vaultId=${vaultId}`, { as });
  const body = { access: 'anyone' };
  const share = await recorder.send(`POST /api/v1/documents/${id}/share`, { as, body });
  const { contentUrl } = await recorder.send(`GET /api/v1/shares/${share.shareToken}`);
  const headers = { range: 'bytes=-2' };
  await recorder.send(`GET ${contentUrl}`, { headers });
  await recorder.send(`GET /api/v1/documents/${id}/content`, { as, headers });
}

export async function tickets(recorder: Recorder, now: () => number): Promise<void> {
  const { as, vaultId } = await author(recorder, 'ada@tickets.example');
  const bob = await author(recorder, 'bob@tickets.example');
  const body = { ...document, vaultId };
  const { id } = await recorder.send('POST /api/v1/documents', { as, body });
  /** Shares the document and opens the share. */
  const open = async (given: object, by = {}) => {
    const share = await recorder.send(`POST /api/v1/documents/${id}/share`, { as, body: given });
    const opened = await recorder.send(`GET /api/v1/shares/${share.shareToken}`, by);
    return { share, read: `GET ${opened.contentUrl}` };
  };
  const capped = await open({ access: 'anyone', maxAccessCount: 1 });
  await recorder.send(`GET /api/v1/shares/${capped.share.shareToken}`);
  for (const range of ['bytes=0-1', 'bytes=2-', 'bytes=6-']) {
    await recorder.send(capped.read, { headers: { range } });
  }
  for (const by of [{}, { as }, { as: bob.as }, { as: 'a.b.c' }]) {
    await recorder.send(capped.read, by);
  }
  await recorder.send(`GET /api/v1/documents/${id}/shares`, { as });
  await recorder.send('GET /api/v1/events?type=document.share.accessed', { as });

  const closed = await open({}, { as: bob.as });
  await recorder.send('GET /api/v1/events?type=document.share.accessed', { as });
  for (const by of [{}, { as: bob.as }, { as }]) await recorder.send(closed.read, by);
  const { key } = await recorder.send('POST /api/v1/api-keys', {
    as: bob.as,
    body: { name: 'K', scopes: ['documents:read'] },
  });
  for (const { read } of [closed, capped]) await recorder.send(read, { key });

  const forged = capped.read.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  for (const read of [forged, capped.read.slice(0, -4), 'GET /api/v1/contents/x']) {
    await recorder.send(read);
    await recorder.send(read, { as });
  }
  const revoked = await open({ access: 'anyone' });
  await recorder.send(`DELETE /api/v1/documents/${id}/shares/${revoked.share.id}`, { as });
  await recorder.send(revoked.read);
  const expiresAt = new Date(now() + hour / 4).toISOString();
  const brief = await open({ access: 'anyone', expiresAt });
  await recorder.send(brief.read);
  recorder.advance(hour / 4);
  await recorder.send(brief.read);
  const lasting = await open({ access: 'anyone' });
  recorder.advance(day - 1);
  await recorder.send(lasting.read);
  recorder.advance(1);
  await recorder.send(lasting.read);
  const again = await recorder.send(`GET /api/v1/shares/${lasting.share.shareToken}`);
  const renewed = `GET ${again.contentUrl}`;
  await recorder.send(renewed);
  const login = { email: 'ada@tickets.example', password: 'correct horse battery' };
  const { accessToken } = await recorder.send('POST /auth/login', { body: login });
  await recorder.send(`DELETE /api/v1/documents/${id}`, { as: accessToken });
  await recorder.send(renewed);
}

export async function wrappedKeys(recorder: Recorder): Promise<void> {
  const { as, vaultId } = await author(recorder, 'ada@keys.example');
  const bob = await author(recorder, 'bob@keys.example');
  const derivation = {
    keyDerivation: 'PBKDF2',
    iterations: 600_000,
    salt: 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  const { encryptionMetadata: metadata } = document;
  const create = async (encryptionMetadata: object) => {
    const body = { ...document, vaultId, encryptionMetadata };
    return (await recorder.send('POST /api/v1/documents', { as, body })).id;
  };
  const id = await create({ ...metadata, ...derivation, wrappedKey: 'AAAA' });
  const unwrapped = await create({ ...metadata, ...derivation });
  const put = (encryptionMetadata: unknown, which = id, by = as) =>
    recorder.send(`PUT /api/v1/documents/${which}`, { as: by, body: { encryptionMetadata } });
  recorder.advance(1_000);
  await put({ ...derivation, wrappedKey: 'AAAA' });
  await put({ wrappedKey: 'AAAA', ...derivation });
  await put({ ...derivation, iterations: 700_000, wrappedKey: 'BBBB' });
  await put({ wrappedKey: 'CCCC' });
  await put({ ...derivation, wrappedKey: 'DDDD' });
  for (const wrong of [{}, derivation, { wrappedKey: 'x' }, { wrappedKey: '' }, null, 'AAAA']) {
    await put(wrong);
  }
  await put({ wrappedKey: 'AAAA', salt: 'AAAA' });
  await put({ wrappedKey: 'AAAA', iv: 'AAAA' });
  await put({ wrappedKey: 'A'.repeat(20_000) });
  await put({ wrappedKey: 'AAAA' }, unwrapped);
  await put({ wrappedKey: 'AAAA' }, id, bob.as);
  const full = await create({ ...metadata, wrappedKey: 'AAAA', note: 'x'.repeat(16_000) });
  await put({ wrappedKey: 'A'.repeat(400) }, full);
  await recorder.send(`PUT /api/v1/documents/${id}`, {
    as,
    body: { fileName: 'b.pdf', vaultId: missing, encryptionMetadata: { wrappedKey: 'EEEE' } },
  });
  await recorder.send(`PUT /api/v1/documents/${id}`, {
    as,
    body: { fileName: 'b.pdf', encryptionMetadata: { wrappedKey: 'EEEE' } },
  });
  await recorder.send(`GET /api/v1/documents/${id}`, { as });
  await recorder.send('GET /api/v1/events?type=document.updated', { as });
}
