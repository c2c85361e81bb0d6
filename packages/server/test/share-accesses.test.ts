import { describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { refusal } from './support/front-door.ts';
import { emptyPage, missing } from './support/replies.ts';
import { newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';

const day = 24 * 60 * 60 * 1000;

/** Creates a document with a share that anyone may open. */
async function sharedDocument(call: Caller, terms: Record<string, unknown> = {}) {
  const vault = await newVault(call);
  const document = await newDocument(call, vault.id);
  const share = await newShare(call, document.id, { access: 'anyone', ...terms });
  const path = `/api/v1/documents/${document.id}/shares/${share.id}/accesses`;
  return { document, share, path };
}

const open = (call: Caller, { shareToken }: { readonly shareToken: string }, userAgent?: string) =>
  call('GET', `/shares/${shareToken}`, userAgent ? { headers: { 'user-agent': userAgent } } : {});

const countsOf = (reply: { readonly body: { data: { accessCount: number }[] } }) =>
  reply.body.data.map(({ accessCount }) => accessCount);

/** Lets the sweeper run. */
async function sweep({ clock, settled }: Pick<TestServer, 'clock' | 'settled'>): Promise<void> {
  clock.advance(60_000);
  await settled();
}

describe('GET /documents/{id}/shares/{shareId}/accesses', () => {
  test('lists time, address and agent of each counted access, the newest first', async () => {
    const { developer, anonymous, clock } = await startTestServer();
    const { document, share, path } = await sharedDocument(developer);
    expect(await developer('GET', path)).toMatchObject(emptyPage);
    const times = [];
    for (const agent of ['Phone', 'ÿ'.repeat(600)]) {
      clock.advance(1_000);
      times.unshift(new Date(clock.now()).toISOString());
      expect((await open(anonymous, share, agent)).status).toBe(200);
    }
    const access = { shareId: share.id, documentId: document.id, ipAddress: '127.0.0.1' };
    const { status, body } = await developer('GET', path);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        { ...access, accessCount: 2, accessedAt: times[0], userAgent: expect.any(String) },
        { ...access, accessCount: 1, accessedAt: times[1], userAgent: 'Phone' },
      ],
      pagination: expect.objectContaining({ page: 1, totalCount: 2, totalPages: 1 }),
    });
    expect(body.data[0].userAgent).toHaveLength(512);
  });

  test('returns every page once, and an empty one past the end', async () => {
    const { developer, anonymous } = await startTestServer();
    const { share, path } = await sharedDocument(developer);
    for (let count = 0; count < 5; count += 1) await open(anonymous, share);
    const page = (number: number) => developer('GET', `${path}?pageSize=2&page=${number}`);
    expect(countsOf(await page(1))).toEqual([5, 4]);
    expect(countsOf(await page(2))).toEqual([3, 2]);
    expect(countsOf(await page(3))).toEqual([1]);
    for (const number of [4, Number.MAX_SAFE_INTEGER]) {
      const { body } = await page(number);
      expect(body).toMatchObject({ data: [], pagination: { totalCount: 5, hasNextPage: false } });
    }
  });

  test('omits rejected openings and reads of the content by a ticket', async () => {
    const { developer, anonymous } = await startTestServer();
    const { share, path } = await sharedDocument(developer, { maxAccessCount: 1 });
    const { contentUrl } = (await open(anonymous, share)).body;
    for (const range of ['bytes=0-1', 'bytes=2-3']) {
      const read = await anonymous('GET', contentUrl, { headers: { range } });
      expect(read.status).toBe(206);
    }
    expect((await open(anonymous, share)).status).toBe(404);
    expect(countsOf(await developer('GET', path))).toEqual([1]);
  });

  test('lists the accesses of a revoked share', async () => {
    const { developer, anonymous } = await startTestServer();
    const { document, share, path } = await sharedDocument(developer);
    await open(anonymous, share);
    await developer('DELETE', `/api/v1/documents/${document.id}/shares/${share.id}`);
    expect(countsOf(await developer('GET', path))).toEqual([1]);
  });

  test('lists exactly the accesses that succeed when many run at the same time', async () => {
    const { developer, anonymous } = await startTestServer();
    const { share, path } = await sharedDocument(developer, { maxAccessCount: 7 });
    await Promise.all(Array.from({ length: 30 }, () => open(anonymous, share)));
    expect(countsOf(await developer('GET', path))).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });
});

describe('who may list accesses', () => {
  test('another account and another document get 404, an administrator the list', async () => {
    const { developer, anonymous, admin, signUp } = await startWithAdministrator();
    const { document, share, path } = await sharedDocument(developer);
    const other = await newDocument(developer, document.vaultId);
    await open(anonymous, share);
    const shareId = share.id;
    const stranger = await signUp('stranger@example.com');
    expect(await stranger.call('GET', path)).toMatchObject(missing({ shareId }));
    expect(await developer('GET', path.replace(document.id, other.id))).toMatchObject(
      missing({ shareId }),
    );
    expect(await developer('GET', path.replace(shareId, 'unknown'))).toMatchObject(
      missing({ shareId: 'unknown' }),
    );
    expect(countsOf(await admin('GET', path))).toEqual([1]);
  });

  test('a key needs documents:share', async () => {
    const { signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const { path } = await sharedDocument(call);
    const reader = withKey((await newKey(call, ['documents:read'])).key);
    const requiredScopes = ['documents:share'];
    expect(await reader('GET', path)).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes }),
    );
    const sharer = withKey((await newKey(call, requiredScopes)).key);
    expect((await sharer('GET', path)).status).toBe(200);
  });
});

describe('the retention of accesses', () => {
  const lasting = ({ clock }: TestServer) => ({
    expiresAt: new Date(clock.now() + 300 * day).toISOString(),
  });

  test('an access is removed after 90 days, and the counts of the others stay', async () => {
    const server = await startTestServer();
    const { developer, anonymous, clock } = server;
    const { share, path } = await sharedDocument(developer, lasting(server));
    for (let count = 0; count < 3; count += 1) await open(anonymous, share);
    clock.advance(day);
    await open(anonymous, share);
    clock.advance(89 * day - 60_001);
    await sweep(server);
    expect(countsOf(await developer('GET', path))).toEqual([4, 3, 2, 1]);
    await sweep(server);
    expect(countsOf(await developer('GET', path))).toEqual([4]);
    await open(anonymous, share);
    expect(countsOf(await developer('GET', path))).toEqual([5, 4]);
    clock.advance(90 * day);
    await sweep(server);
    expect(await developer('GET', path)).toMatchObject(emptyPage);
    await open(anonymous, share);
    expect(countsOf(await developer('GET', path))).toEqual([6]);
  });
});
