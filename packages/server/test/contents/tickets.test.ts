import { beforeEach, describe, expect, test } from 'vitest';
import { command } from '../support/command-line.ts';
import { dataFolder } from '../support/data-folder.ts';
import { comparable, refusal } from '../support/front-door.ts';
import { newMasterKey } from '../support/master-keys.ts';
import { newDocument, newKey, newShare, newVault } from '../support/resources.ts';
import { type Account, startTestServer, type TestServer } from '../support/server.ts';

const hour = 60 * 60 * 1000;
const content = Buffer.from('the ciphertext of a shared document');

let server: TestServer;
let owner: Account;
let documentId: string;

beforeEach(async () => {
  server = await startTestServer({ requestsPerMinute: { enterprise: 100_000 } });
  owner = await server.signUp('owner@example.com');
  const vault = await newVault(owner.call);
  documentId = (await newDocument(owner.call, vault.id, content)).id;
});

const share = (fields: object = {}) =>
  newShare(owner.call, documentId, { access: 'anyone', ...fields });

/** Opens a share and returns the path of its content. */
async function open(shareToken: string, call = server.anonymous): Promise<string> {
  const opened = await call('GET', `/api/v1/documents/share/${shareToken}`);
  expect(opened.status).toBe(200);
  expect(opened.body.contentUrl).toMatch(/^\/api\/v1\/contents\/[\w-]{72}$/);
  return opened.body.contentUrl;
}

const none = refusal('NOT_FOUND', {});

describe('GET /contents/{ticket}', () => {
  test('of an opened share returns the content, whole and by range', async () => {
    const path = await open((await share()).shareToken);
    const whole = await server.anonymous('GET', path);
    expect(whole).toMatchObject({ status: 200, body: content });
    const range = await server.anonymous('GET', path, { headers: { range: 'bytes=4-13' } });
    expect(range).toMatchObject({ status: 206, body: content.subarray(4, 14) });
    const own = await owner.call('GET', `/api/v1/documents/${documentId}/content`);
    expect(whole.headers.get('etag')).toBe(own.headers.get('etag'));
    const outside = await server.anonymous('GET', path, { headers: { range: 'bytes=99-' } });
    expect(outside).toMatchObject(refusal('RANGE_NOT_SATISFIABLE'));
  });

  test('counts no access and emits no event, also for 200 ranges at once', async () => {
    const { id, shareToken } = await share({ maxAccessCount: 1 });
    const path = await open(shareToken);
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, start) =>
        server.anonymous('GET', path, { headers: { range: `bytes=${start % 30}-${start % 30}` } }),
      ),
    );
    for (const [start, reply] of replies.entries()) {
      const byte = content.subarray(start % 30, (start % 30) + 1);
      expect(reply).toMatchObject({ status: 206, body: byte });
    }
    const shares = await owner.call('GET', `/api/v1/documents/${documentId}/shares`);
    expect(shares.body.data).toMatchObject([{ id, accessCount: 1 }]);
    const events = await owner.call('GET', '/api/v1/events?type=document.share.accessed');
    expect(events.body.pagination.totalCount).toBe(1);
    // The cap ends openings, not the content of what was opened.
    const again = await server.anonymous('GET', `/api/v1/documents/share/${shareToken}`);
    expect(again.status).toBe(404);
    expect((await server.anonymous('GET', path)).status).toBe(200);
  });

  test('is valid for 24 hours', async () => {
    const path = await open((await share()).shareToken);
    server.clock.advance(24 * hour - 1);
    expect((await server.anonymous('GET', path)).status).toBe(200);
    server.clock.advance(1);
    expect(await server.anonymous('GET', path)).toMatchObject(none);
  });

  test('ends when the share expires', async () => {
    const expiresAt = new Date(server.clock.now() + hour).toISOString();
    const path = await open((await share({ expiresAt })).shareToken);
    server.clock.advance(hour - 1);
    expect((await server.anonymous('GET', path)).status).toBe(200);
    server.clock.advance(1);
    expect(await server.anonymous('GET', path)).toMatchObject(none);
  });

  test('ends when the share is revoked, and the tickets of other shares stay valid', async () => {
    const revoked = await share();
    const path = await open(revoked.shareToken);
    const other = await open((await share()).shareToken);
    await owner.call('DELETE', `/api/v1/documents/${documentId}/shares/${revoked.id}`);
    expect(await server.anonymous('GET', path)).toMatchObject(none);
    expect((await server.anonymous('GET', other)).status).toBe(200);
  });

  test('ends when the document, its vault or its account is deleted', async () => {
    const vault = await newVault(owner.call);
    const second = await newDocument(owner.call, vault.id, content);
    const inVault = await newShare(owner.call, second.id, { access: 'anyone' });
    const pathInVault = await open(inVault.shareToken);
    await owner.call('DELETE', `/api/v1/vaults/${vault.id}`);
    expect(await server.anonymous('GET', pathInVault)).toMatchObject(none);

    const path = await open((await share()).shareToken);
    await owner.call('DELETE', `/api/v1/documents/${documentId}`);
    expect(await server.anonymous('GET', path)).toMatchObject(none);

    const ownVault = await newVault(owner.call);
    const last = await newDocument(owner.call, ownVault.id, content);
    const lastShare = await newShare(owner.call, last.id, { access: 'anyone' });
    const lastPath = await open(lastShare.shareToken);
    const { password } = owner;
    const deleted = await owner.call('DELETE', '/api/v1/users/me', { body: { password } });
    expect(deleted.status).toBe(204);
    expect(await server.anonymous('GET', lastPath)).toMatchObject(none);
  });

  test('of an authenticated share needs credentials with documents:share', async () => {
    const { shareToken } = await share({ access: 'authenticated' });
    const { call } = await server.signUp('reader@example.com');
    const path = await open(shareToken, call);
    expect((await call('GET', path)).status).toBe(200);
    expect(await server.anonymous('GET', path)).toMatchObject(refusal('MISSING_AUTH', {}));
    const without = server.withKey((await newKey(call, ['documents:read'])).key);
    expect(await without('GET', path)).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: ['documents:share'] }),
    );
    const withScope = server.withKey((await newKey(call, ['documents:share'])).key);
    expect((await withScope('GET', path)).status).toBe(200);
  });

  test('of an anyone share checks credentials that are sent', async () => {
    const path = await open((await share()).shareToken);
    const { key } = await newKey(owner.call, ['documents:read']);
    expect(await server.withKey(key)('GET', path)).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS'),
    );
    expect(await server.withKey('rubbish')('GET', path)).toMatchObject(refusal('INVALID_API_KEY'));
  });
});

describe('a ticket that is not valid', () => {
  test('returns the same 404, whether it is forged, altered, truncated, spelled otherwise or has ended', async () => {
    const ended = await share();
    const endedPath = await open(ended.shareToken);
    await owner.call('DELETE', `/api/v1/documents/${documentId}/shares/${ended.id}`);
    const path = await open((await share()).shareToken);
    const ticket = path.slice('/api/v1/contents/'.length);
    const bytes = Buffer.from(ticket, 'base64url');
    const altered = Array.from(bytes, (_, at) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy.toString('base64url');
    });
    const replies = await Promise.all(
      [
        ...altered,
        'unknown',
        'A'.repeat(72),
        ticket.slice(0, -4),
        ticket.slice(0, -1),
        `${ticket}A`,
        `${ticket}=`,
        `${ticket}%20`,
        ticket.replaceAll(/[-_]/g, (sign) => (sign === '-' ? '+' : '%2F')).concat('%0A'),
        documentId,
        '%E0%A4%A',
      ].map((invalid) => server.anonymous('GET', `/api/v1/contents/${invalid}`)),
    );
    const end = comparable(await server.anonymous('GET', endedPath));
    expect(end).toEqual({
      status: 404,
      body: { error: { code: 'NOT_FOUND', message: 'There is no such content.', details: {} } },
    });
    for (const reply of replies) expect(comparable(reply)).toEqual(end);
    expect((await server.anonymous('GET', path)).status).toBe(200);
  });

  test('of another server returns 404', async () => {
    const path = await open((await share()).shareToken);
    const other = await startTestServer();
    expect(await other.anonymous('GET', path)).toMatchObject(none);
  });
});

test('tickets are different for each share and each moment, and contain neither token nor document', async () => {
  const one = await share();
  const first = await open(one.shareToken);
  expect(await open(one.shareToken)).toBe(first);
  server.clock.advance(1);
  const later = await open(one.shareToken);
  const other = await open((await share()).shareToken);
  expect(new Set([first, later, other]).size).toBe(3);
  const bytes = Buffer.from(first.slice('/api/v1/contents/'.length), 'base64url');
  expect(bytes.includes(Buffer.from(documentId.replaceAll('-', ''), 'hex'))).toBe(false);
  expect(bytes.includes(Buffer.from(one.shareToken, 'base64url'))).toBe(false);
});

test('a ticket stays valid after a restart and after the master key was rotated', async () => {
  const data = await dataFolder();
  const [key, next] = [newMasterKey().text, newMasterKey().text];
  const first = await startTestServer({ data, masterKey: key });
  const vault = await newVault(first.developer);
  const document = await newDocument(first.developer, vault.id, content);
  const { shareToken } = await newShare(first.developer, document.id, { access: 'anyone' });
  const opened = await first.anonymous('GET', `/api/v1/documents/share/${shareToken}`);
  await first.close();
  const env = { DOCUMENT_VAULT_MASTER_KEY: key, DOCUMENT_VAULT_MASTER_KEY_NEW: next };
  const rotated = await command(['master-key', 'rotate', '--data', data], { env });
  expect(rotated).toMatchObject({ code: 0 });
  const second = await startTestServer({ data, masterKey: next });
  const read = await second.anonymous('GET', opened.body.contentUrl);
  expect(read).toMatchObject({ status: 200, body: content });
});
