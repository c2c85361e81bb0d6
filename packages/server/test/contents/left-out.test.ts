import { describe, expect, test } from 'vitest';
import { invalid, missing } from '../support/replies.ts';
import { newDocument, newShare, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

const content = 'the ciphertext';
const encryptedData = Buffer.from(content).toString('base64');

async function startWithDocument() {
  const server = await startTestServer();
  const vault = await newVault(server.developer);
  const document = await newDocument(server.developer, vault.id, content);
  return { ...server, document, path: `/api/v1/documents/${document.id}` };
}

describe('content=false', () => {
  test('GET /documents/{id}?content=false returns the document without encryptedData', async () => {
    const { developer, document, path } = await startWithDocument();
    const { status, body } = await developer('GET', `${path}?content=false`);
    expect(status).toBe(200);
    expect(body).toEqual(document);
    expect(body).not.toHaveProperty('encryptedData');
    const { body: bytes } = await developer('GET', body.contentUrl);
    expect(bytes.toString()).toBe(content);
  });

  test('GET /documents/{id} with content=true or without it returns encryptedData', async () => {
    const { developer, document, path } = await startWithDocument();
    for (const query of ['', '?content=true']) {
      const { body } = await developer('GET', path + query);
      expect(body).toEqual({ ...document, encryptedData });
    }
  });

  test('a content that is not a boolean returns 400 type, also for a share, whose access does not count', async () => {
    const { developer, anonymous, document, path } = await startWithDocument();
    const { shareToken } = await newShare(developer, document.id, { access: 'anyone' });
    for (const value of ['', 'no', '0', 'False', 'false&content=false']) {
      const refused = await developer('GET', `${path}?content=${value}`);
      expect(refused, value).toMatchObject(invalid('content', 'type'));
      const unopened = await anonymous('GET', `/shares/${shareToken}?content=${value}`);
      expect(unopened, value).toMatchObject(invalid('content', 'type'));
    }
    const { body } = await developer('GET', `${path}/shares`);
    expect(body.data).toMatchObject([{ accessCount: 0 }]);
  });

  test('a share opened with content=false has no encryptedData and counts one access', async () => {
    const { developer, anonymous, document, path } = await startWithDocument();
    const terms = { access: 'anyone', maxAccessCount: 2 };
    const { shareToken } = await newShare(developer, document.id, terms);
    for (const alias of ['/api/v1/documents/share', '/shares']) {
      const { status, body } = await anonymous('GET', `${alias}/${shareToken}?content=false`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: document.id, sizeBytes: content.length });
      expect(body).not.toHaveProperty('encryptedData');
      expect(Object.keys(body.encryptionMetadata).toSorted()).toEqual([
        'algorithm',
        'authTag',
        'iv',
      ]);
      const { body: bytes } = await anonymous('GET', body.contentUrl);
      expect(bytes.toString()).toBe(content);
    }
    const spent = await anonymous('GET', `/shares/${shareToken}?content=false`);
    expect(spent).toMatchObject(missing());
    const { body } = await developer('GET', `${path}/shares`);
    expect(body.data).toMatchObject([{ accessCount: 2, isActive: false }]);
  });

  test('GET /documents/{id}?content=false of another account returns 404', async () => {
    const { signUp, document, path } = await startWithDocument();
    const { call } = await signUp('bob@example.com');
    const reply = await call('GET', `${path}?content=false`);
    expect(reply).toMatchObject(missing({ documentId: document.id }));
  });
});
