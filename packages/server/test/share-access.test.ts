import { describe, expect, test } from 'vitest';
import { missing } from './support/replies.ts';
import {
  encryptionMetadata,
  newDocument,
  newKey,
  newShare,
  newVault,
} from './support/resources.ts';
import { type Reply, startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

async function sharedDocument({ developer }: TestServer) {
  const vault = await newVault(developer);
  return newDocument(developer, vault.id, 'the ciphertext');
}

const rejection = (status: number, code: string) => ({ status, body: { error: { code } } });

const ok = { status: 200 };

/** Returns the access count of a share. */
async function accessCountOf({ developer }: TestServer, share: { id: string; documentId: string }) {
  const { body } = await developer('GET', `/api/v1/documents/${share.documentId}/shares`);
  return body.data.find(({ id }: { id: string }) => id === share.id)?.accessCount;
}

const ticketPath = /^\/api\/v1\/contents\/[\w-]{72}$/;

describe('GET /shares/{token}', () => {
  test('returns the document with its ciphertext, under every path', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const document = await sharedDocument(server);
    const share = await newShare(developer, document.id, { access: 'anyone' });
    const encryptedData = Buffer.from('the ciphertext').toString('base64');
    for (const path of ['/api/v1/documents/share', '/api/v1/shares', '/shares']) {
      const opened = await developer('GET', `${path}/${share.shareToken}`);
      expect(opened).toMatchObject({ status: 200 });
      const contentUrl = expect.stringMatching(ticketPath);
      expect(opened.body).toEqual({ ...document, encryptedData, contentUrl });
    }
    expect(await accessCountOf(server, share)).toBe(3);
  });

  test('returns only algorithm, iv and authTag of the encryption without documents:read of the owner', async () => {
    const server = await startTestServer();
    const { developer, anonymous, signUp, signIn, withKey } = server;
    const vault = await newVault(developer);
    const metadata = {
      ...encryptionMetadata,
      wrappedKey: 'HnqIfcO2iMZ0HRcdkgHcbD2Wbcq2xYgVPA1c6lAkzgRDgK4D0Aoy0A==',
      hint: 'the name of my cat',
    };
    const document = await newDocument(developer, vault.id, 'the ciphertext', {
      encryptionMetadata: metadata,
    });
    const share = await newShare(developer, document.id, { access: 'anyone' });
    const encryptedData = Buffer.from('the ciphertext').toString('base64');
    const { algorithm, iv, authTag } = metadata;
    for (const path of ['/api/v1/documents/share', '/api/v1/shares', '/shares']) {
      const opened = await anonymous('GET', `${path}/${share.shareToken}`);
      expect(opened).toMatchObject({ status: 200 });
      const reduced = { ...document, encryptionMetadata: { algorithm, iv, authTag } };
      const contentUrl = expect.stringMatching(ticketPath);
      expect(opened.body).toEqual({ ...reduced, encryptedData, contentUrl });
    }
    const { call } = await signUp('other@example.com');
    const authenticated = await newShare(developer, document.id);
    for (const { shareToken } of [share, authenticated]) {
      const own = await developer('GET', `/shares/${shareToken}`);
      expect(own.body.encryptionMetadata).toEqual(metadata);
      const others = await call('GET', `/shares/${shareToken}`);
      expect(others.body.encryptionMetadata).toEqual({ algorithm, iv, authTag });
    }
    const signedIn = await signIn({ email: '', password: '', ...server.account });
    for (const [scopes, expected] of [
      [['documents:share'], { algorithm, iv, authTag }],
      [['documents:share', 'documents:read'], metadata],
    ] as const) {
      const key = withKey((await newKey(signedIn, scopes)).key);
      for (const query of ['', '?content=false']) {
        const own = await key('GET', `/shares/${share.shareToken}${query}`);
        expect(own.body.encryptionMetadata, `${scopes}`).toEqual(expected);
      }
    }
  });

  test('access `authenticated` requires credentials of any account', async () => {
    const server = await startTestServer();
    const { developer, anonymous, signUp, withKey } = server;
    const document = await sharedDocument(server);
    const share = await newShare(developer, document.id);
    const path = `/shares/${share.shareToken}`;
    const { call } = await signUp('other@example.com');
    const { key } = await newKey(call, ['documents:share']);

    expect(await anonymous('GET', path)).toMatchObject(rejection(401, 'MISSING_AUTH'));
    expect(await accessCountOf(server, share), 'a rejected access does not count').toBe(0);
    expect(await developer('GET', path)).toMatchObject(ok);
    expect(await call('GET', path)).toMatchObject(ok);
    expect(await withKey(key)('GET', path)).toMatchObject(ok);
    expect(await accessCountOf(server, share)).toBe(3);
    const direct = await call('GET', `/api/v1/documents/${document.id}`);
    expect(direct, 'the share gives no access to the document itself').toMatchObject(missing());
  });

  test('invalid credentials and missing scopes are rejected, also with access `anyone`', async () => {
    const server = await startTestServer();
    const { developer, anonymous, withKey, withToken, clock } = server;
    const document = await sharedDocument(server);
    const share = await newShare(developer, document.id, { access: 'anyone' });
    const path = `/shares/${share.shareToken}`;
    const { email, password } = server.account ?? {};
    const session = await anonymous('POST', '/auth/login', { body: { email, password } });
    const token = session.body.accessToken;
    const { key } = await newKey(withToken(token), ['documents:read']);

    const unknownKey = `service_sk_${'a'.repeat(40)}`;
    const rejections: [Promise<Reply>, object][] = [
      [withKey(unknownKey)('GET', path), rejection(401, 'INVALID_API_KEY')],
      [withKey('nonsense')('GET', path), rejection(401, 'INVALID_API_KEY')],
      [withToken('nonsense')('GET', path), rejection(401, 'INVALID_TOKEN')],
      [withKey(key)('GET', path), rejection(403, 'INSUFFICIENT_PERMISSIONS')],
    ];
    for (const [reply, expected] of rejections) expect(await reply).toMatchObject(expected);
    clock.advance(60 * 60 * 1000);
    expect(await withToken(token)('GET', path)).toMatchObject(rejection(401, 'EXPIRED_TOKEN'));
    expect(await accessCountOf(server, share)).toBe(0);
    expect(await anonymous('GET', path)).toMatchObject(ok);
  });
});

describe('maxAccessCount', () => {
  test('exactly as many concurrent accesses succeed as it allows', async () => {
    const server = await startTestServer();
    const { developer, anonymous } = server;
    const webhook = await listen({ server, call: developer, events: ['document.share.accessed'] });
    const document = await sharedDocument(server);
    const cap = 7;
    const terms = { access: 'anyone', maxAccessCount: cap };
    const share = await newShare(developer, document.id, terms);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? anonymous : developer)('GET', `/shares/${share.shareToken}`),
      ),
    );
    const opened = replies.filter(({ status }) => status === 200);
    expect(opened).toHaveLength(cap);
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(50 - cap);
    expect(await accessCountOf(server, share)).toBe(cap);

    const counts = (await webhook.events()).map(({ data }) => data.object.accessCount);
    expect(counts.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('rejected accesses do not count', async () => {
    const server = await startTestServer();
    const { developer, anonymous } = server;
    const document = await sharedDocument(server);
    const share = await newShare(developer, document.id, { maxAccessCount: 1 });
    const path = `/shares/${share.shareToken}`;
    for (let count = 0; count < 3; count += 1) {
      expect(await anonymous('GET', path)).toMatchObject(rejection(401, 'MISSING_AUTH'));
    }
    expect(await developer('GET', path)).toMatchObject(ok);
    expect(await developer('GET', path)).toMatchObject(missing());
  });
});

describe('share that no longer opens', () => {
  test('it opens until the moment before its expiry and returns 404 from then on', async () => {
    const server = await startTestServer();
    const { developer, anonymous, clock } = server;
    const document = await sharedDocument(server);
    const share = await newShare(developer, document.id, { access: 'anyone' });
    const path = `/shares/${share.shareToken}`;
    clock.advance(7 * 24 * 60 * 60 * 1000 - 1);
    expect(await anonymous('GET', path)).toMatchObject(ok);
    clock.advance(1);
    expect(await anonymous('GET', path)).toMatchObject(missing());
    expect(await accessCountOf(server, share)).toBe(1);
  });

  test('used up, revoked, expired and orphaned shares return the same 404 as an unknown token', async () => {
    const server = await startTestServer();
    const { developer, anonymous, clock } = server;
    const document = await sharedDocument(server);
    for (const access of ['anyone', 'authenticated']) {
      const share = (terms: object = {}) => newShare(developer, document.id, { access, ...terms });
      const spent = await share({ maxAccessCount: 1 });
      expect(await developer('GET', `/shares/${spent.shareToken}`)).toMatchObject(ok);
      const revoked = await share();
      await developer('DELETE', `/api/v1/documents/${document.id}/shares/${revoked.id}`);
      const expired = await share({ expiresAt: new Date(clock.now() + 1).toISOString() });
      clock.advance(1);
      const lost = await newDocument(developer, document.vaultId);
      const orphan = await newShare(developer, lost.id, { access });
      await developer('DELETE', `/api/v1/documents/${lost.id}`);

      const unknown = ['A'.repeat(43), 'short', '%00', spent.id];
      const over = [spent, revoked, expired, orphan].map(({ shareToken }) => shareToken);
      for (const caller of [anonymous, developer]) {
        for (const token of [...unknown, ...over]) {
          const { status, body, headers } = await caller('GET', `/shares/${token}`);
          expect(status).toBe(404);
          expect(body).toEqual({
            error: {
              code: 'NOT_FOUND',
              message: 'There is no such share.',
              details: {},
              requestId: headers.get('x-request-id'),
              timestamp: new Date(clock.now()).toISOString(),
            },
          });
        }
      }
    }
  });
});
