import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyPage, invalid, missing } from './support/replies.ts';
import { documentOf, encryptionMetadata, newDocument, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

const path = '/api/v1/documents';

describe('POST /documents', () => {
  test('returns 201 without the content; GET /documents/{id} returns the ciphertext too', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const body = documentOf(vault.id, 'ciphertext');
    const created = await developer('POST', path, { body });
    const { encryptedData, ...description } = body;
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({
      ...description,
      id: expect.any(String),
      sizeBytes: 10,
      uploadedAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      contentUrl: `${path}/${created.body.id}/content`,
    });
    const read = await developer('GET', `${path}/${created.body.id}`);
    expect(read.body).toEqual({ ...created.body, encryptedData });
    const counted = await developer('GET', `/api/v1/vaults/${vault.id}`);
    expect(counted.body).toEqual({ ...vault, documentCount: 1, totalSize: 10 });
  });

  test('GET /documents/{id} returns the same bytes for any content', async () => {
    const limits = { requestsPerMinute: { enterprise: 10_000 } };
    const { developer } = await startTestServer(limits);
    const vault = await newVault(developer);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ size: '+1' }), async (content) => {
        const { id } = await newDocument(developer, vault.id, content);
        const { body } = await developer('GET', `${path}/${id}`);
        expect(body.sizeBytes).toBe(content.length);
        expect(Buffer.from(body.encryptedData, 'base64').equals(content)).toBe(true);
      }),
      { numRuns: 60, examples: [[new Uint8Array()], [Uint8Array.of(0)], [new Uint8Array(65_537)]] },
    );
  });

  test('with base64 that is not RFC 4648, section 4, in one line returns 400 format', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const broken = [
      'Q',
      'QUI',
      'QUJD=',
      'Q===',
      'QU=D',
      '=UJD',
      '====',
      '-_-_',
      '+/-_',
      'QUJD\n',
      'QUJD\r\nQUJD',
      'QU JD123',
      ' QUJ',
      'QÜJD',
    ];
    for (const encryptedData of broken) {
      const body = documentOf(vault.id, 'ABC', { encryptedData });
      const refused = await developer('POST', path, { body });
      expect(refused, encryptedData).toMatchObject(invalid('encryptedData', 'format'));
    }
    expect(await developer('GET', path)).toMatchObject(emptyPage);
  });

  test('with a sizeBytes that differs from the content returns 400 and counts nothing', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const sizes: [unknown, string][] = [
      [2, 'decodedLength'],
      [4, 'decodedLength'],
      [0, 'decodedLength'],
      [1e300, 'decodedLength'],
      [-1, 'minimum'],
      [2.5, 'type'],
      ['3', 'type'],
      [null, 'type'],
    ];
    for (const [sizeBytes, constraint] of sizes) {
      const body = documentOf(vault.id, 'ABC', { sizeBytes });
      const refused = await developer('POST', path, { body });
      expect(refused, String(sizeBytes)).toMatchObject(invalid('sizeBytes', constraint));
    }
    expect((await developer('GET', `/api/v1/vaults/${vault.id}`)).body).toEqual(vault);
  });

  test('at maxJsonDocumentBytes returns 201, and one byte above it 400 maxDecodedLength', async () => {
    const { developer } = await startTestServer({ maxJsonDocumentBytes: 1000 });
    const vault = await newVault(developer);
    const upload = (size: number) =>
      developer('POST', path, { body: documentOf(vault.id, Buffer.alloc(size, 7)) });
    expect(await upload(1000)).toMatchObject({ status: 201, body: { sizeBytes: 1000 } });
    expect(await upload(1001)).toMatchObject(invalid('encryptedData', 'maxDecodedLength'));
    expect(await upload(3_000_000)).toMatchObject(invalid('body', 'maxBytes'));
    expect(await upload(1)).toMatchObject({ status: 201 });
  });

  test('to an inactive vault returns 400, and to an unknown or foreign vault 404', async () => {
    const { developer, signUp } = await startTestServer();
    const vault = await newVault(developer);
    const vaultPath = `/api/v1/vaults/${vault.id}`;
    const stranger = await signUp('stranger@example.com');
    const foreign = await newVault(stranger.call);
    const upload = (vaultId: string) =>
      developer('POST', path, { body: documentOf(vaultId, 'ABC') });

    await developer('PUT', vaultPath, { body: { isActive: false } });
    expect(await upload(vault.id)).toMatchObject(invalid('vaultId', 'active'));
    for (const vaultId of [foreign.id, 'unknown', '00000000-0000-7000-8000-000000000000']) {
      expect(await upload(vaultId)).toMatchObject(missing({ vaultId }));
    }
    expect((await stranger.call('GET', `/api/v1/vaults/${foreign.id}`)).body).toEqual(foreign);
    await developer('PUT', vaultPath, { body: { isActive: true } });
    expect(await upload(vault.id)).toMatchObject({ status: 201 });
  });
});

describe('fileName and mimeType of POST /documents', () => {
  test('are stored unchanged at their limits', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const descriptions = [
      { fileName: 'x', mimeType: 'a/b' },
      { fileName: 'ü'.repeat(255), mimeType: 'application/vnd.oasis.opendocument.text' },
      { fileName: '😀'.repeat(255), mimeType: 'image/svg+xml' },
      { fileName: '...', mimeType: 'a/b' },
      { fileName: '..a', mimeType: 'a/b' },
      { fileName: '.a.', mimeType: 'a/b' },
      { fileName: ' .hidden ', mimeType: `${'t'.repeat(127)}/${'s'.repeat(127)}` },
      { fileName: 'a:b*c?"<>|', mimeType: 'Text/Plain' },
    ];
    for (const description of descriptions) {
      const created = await newDocument(developer, vault.id, 'x', description);
      expect(created).toMatchObject(description);
      expect((await developer('GET', `${path}/${created.id}`)).body).toMatchObject(description);
    }
  });

  test('return 400 with field and constraint beyond their limits, like other invalid fields', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const refusals: [Record<string, unknown>, string, string][] = [
      [{ fileName: undefined }, 'fileName', 'required'],
      [{ fileName: '' }, 'fileName', 'minLength'],
      [{ fileName: 'x'.repeat(256) }, 'fileName', 'maxLength'],
      [{ fileName: '../secret' }, 'fileName', 'format'],
      [{ fileName: 'a\\b' }, 'fileName', 'format'],
      [{ fileName: 'a\0b' }, 'fileName', 'format'],
      [{ fileName: 'a\nb' }, 'fileName', 'format'],
      [{ fileName: 'a\u007fb' }, 'fileName', 'format'],
      [{ fileName: 'a\u0085b' }, 'fileName', 'format'],
      [{ fileName: '.' }, 'fileName', 'format'],
      [{ fileName: '..' }, 'fileName', 'format'],
      [{ fileName: 'invoice\u202efdp.exe' }, 'fileName', 'format'],
      [{ fileName: 'a\u061c' }, 'fileName', 'format'],
      [{ fileName: '\u200ea' }, 'fileName', 'format'],
      [{ fileName: '\u2069' }, 'fileName', 'format'],
      [{ mimeType: undefined }, 'mimeType', 'required'],
      [{ mimeType: 'pdf' }, 'mimeType', 'pattern'],
      [{ mimeType: 'text/' }, 'mimeType', 'pattern'],
      [{ mimeType: 'text/plain; charset=utf-8' }, 'mimeType', 'pattern'],
      [{ mimeType: 'text/plain\n' }, 'mimeType', 'pattern'],
      [{ mimeType: 'a/b/c' }, 'mimeType', 'pattern'],
      [{ vaultId: undefined }, 'vaultId', 'required'],
      [{ vaultId: '' }, 'vaultId', 'minLength'],
      [{ vaultId: 7 }, 'vaultId', 'type'],
      [{ encryptedData: undefined }, 'encryptedData', 'required'],
      [{ sizeBytes: undefined }, 'sizeBytes', 'required'],
      [{ encryptionMetadata: undefined }, 'encryptionMetadata', 'required'],
      [{ id: 'mine' }, 'id', 'pattern'],
      [{ userId: 'mine' }, 'userId', 'additionalProperties'],
    ];
    for (const [fields, field, constraint] of refusals) {
      const refused = await developer('POST', path, { body: documentOf(vault.id, 'x', fields) });
      expect(refused, JSON.stringify(fields)).toMatchObject(invalid(field, constraint));
    }
    expect(await developer('GET', path)).toMatchObject(emptyPage);
  });
});

describe('encryptionMetadata of POST /documents', () => {
  test('is stored with all its properties, including unknown ones', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const kept = [
      { algorithm: 'AES-256-GCM', iv: 'QUJD', authTag: 'QUJD' },
      {
        ...encryptionMetadata,
        version: 2,
        wrapped: [{ key: 'QUJD', for: ['ada', null] }, true],
        'a key with "quotes"': { nested: { deeper: 0.5 } },
        text: 'Ü \u0000 \u2028',
      },
    ];
    for (const metadata of kept) {
      const created = await newDocument(developer, vault.id, 'x', { encryptionMetadata: metadata });
      expect(created.encryptionMetadata).toEqual(metadata);
      const read = await developer('GET', `${path}/${created.id}`);
      expect(read.body.encryptionMetadata).toEqual(metadata);
    }
    const listed = (await developer('GET', `${path}?sortOrder=asc`)).body.data;
    expect(listed.map((document: Record<string, unknown>) => document.encryptionMetadata)).toEqual(
      kept,
    );
  });

  test('returns 400 for invalid values of known properties', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const refusals: [Record<string, unknown>, string, string][] = [
      [{ algorithm: undefined }, 'algorithm', 'required'],
      [{ algorithm: '' }, 'algorithm', 'minLength'],
      [{ algorithm: 'x'.repeat(101) }, 'algorithm', 'maxLength'],
      [{ iv: undefined }, 'iv', 'required'],
      [{ iv: '' }, 'iv', 'minLength'],
      [{ iv: 'QUJDR' }, 'iv', 'format'],
      [{ iv: '-_-_' }, 'iv', 'format'],
      [{ iv: 'QUJD\n' }, 'iv', 'format'],
      [{ iv: 7 }, 'iv', 'type'],
      [{ authTag: undefined }, 'authTag', 'required'],
      [{ authTag: '' }, 'authTag', 'minLength'],
      [{ authTag: 'not base64' }, 'authTag', 'format'],
      [{ salt: 'QUI' }, 'salt', 'format'],
      [{ salt: null }, 'salt', 'type'],
      [{ iterations: 0 }, 'iterations', 'minimum'],
      [{ iterations: 1.5 }, 'iterations', 'type'],
      [{ keyDerivation: '' }, 'keyDerivation', 'minLength'],
    ];
    for (const [fields, field, constraint] of refusals) {
      const body = documentOf(vault.id, 'x', {
        encryptionMetadata: { ...encryptionMetadata, ...fields },
      });
      const refused = await developer('POST', path, { body });
      const expected = invalid(`encryptionMetadata.${field}`, constraint);
      expect(refused, JSON.stringify(fields)).toMatchObject(expected);
    }
    const list = documentOf(vault.id, 'x', { encryptionMetadata: [] });
    expect(await developer('POST', path, { body: list })).toMatchObject(
      invalid('encryptionMetadata', 'type'),
    );
  });

  test('returns 400 json when it is nested too deeply', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const body = documentOf(vault.id, 'x', {
      encryptionMetadata: { ...encryptionMetadata, extra: 'HERE' },
    });
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const upload = (depth: number) =>
      developer('POST', path, { body: JSON.stringify(body).replace('"HERE"', nested(depth)) });
    expect(await upload(50)).toMatchObject({ status: 201 });
    expect(await upload(20_000)).toMatchObject(invalid('body', 'json'));
  });
});
