import { describe, expect, test } from 'vitest';
import { emptyPage, invalid } from './support/replies.ts';
import { newDocument, newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';

interface Document {
  readonly id: string;
  readonly fileName: string;
}

async function namesOf(call: Caller, query: string): Promise<string[]> {
  const { status, body } = await call('GET', `/api/v1/documents${query}`);
  expect(status, query).toBe(200);
  return body.data.map(({ fileName }: Document) => fileName);
}

describe('GET /documents', () => {
  test('returns documents without their content', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const { body } = await developer('GET', '/api/v1/documents');
    expect(body.data).toEqual([document]);
    expect(JSON.stringify(body)).not.toContain('encryptedData');
    expect(JSON.stringify(body)).not.toContain(Buffer.from('ciphertext').toString('base64'));
  });

  test('sorts by every field in both directions, and equal values by id', async () => {
    const { developer, clock } = await startTestServer();
    const vault = await newVault(developer);
    const kinds = [
      ['beta', 'aa'],
      ['Alpha', 'a'],
      ['gamma', ''],
      ['ALPHA', 'aa'],
      ['äther', 'aaaa'],
      ['Beta', ''],
    ] as const;
    const ids: string[] = [];
    for (const [index, [fileName, content]] of kinds.entries()) {
      if (index % 2 === 0) clock.advance(1000);
      ids.push((await newDocument(developer, vault.id, content, { fileName })).id);
    }
    clock.advance(1000);
    for (const index of [3, 0]) {
      const body = { mimeType: 'text/plain' };
      await developer('PUT', `/api/v1/documents/${ids[index]}`, { body });
    }
    const ascending: Record<string, number[]> = {
      uploadedAt: [0, 1, 2, 3, 4, 5],
      updatedAt: [1, 2, 4, 5, 0, 3],
      fileName: [1, 3, 0, 5, 2, 4],
      sizeBytes: [2, 5, 1, 0, 3, 4],
    };
    const order = async (query: string) => {
      const { body } = await developer('GET', `/api/v1/documents${query}`);
      return body.data.map(({ id }: Document) => ids.indexOf(id));
    };
    for (const [field, expected] of Object.entries(ascending)) {
      const natural = field.endsWith('At') ? expected.toReversed() : expected;
      expect(await order(`?sortBy=${field}&sortOrder=asc`)).toEqual(expected);
      expect(await order(`?sortBy=${field}&sortOrder=desc`)).toEqual(expected.toReversed());
      expect(await order(`?sortBy=${field}`), `natural order of ${field}`).toEqual(natural);
    }
    expect(await order('')).toEqual([5, 4, 3, 2, 1, 0]);
  });

  test('filters by vaultId, mimeType and search, alone and combined', async () => {
    const { developer } = await startTestServer();
    const first = await newVault(developer);
    const second = await newVault(developer);
    const kinds = [
      [first, 'Ärger.pdf', 'application/pdf'],
      [first, '100%.txt', 'text/plain'],
      [second, 'a_b.pdf', 'application/pdf'],
      [second, 'image+xml.svg', 'image/svg+xml'],
    ] as const;
    for (const [vault, fileName, mimeType] of kinds) {
      await newDocument(developer, vault.id, 'x', { fileName, mimeType });
    }
    const found = (filters: Record<string, string>) =>
      namesOf(developer, `?sortBy=uploadedAt&sortOrder=asc&${new URLSearchParams(filters)}`);
    expect(await found({ vaultId: first.id })).toEqual(['Ärger.pdf', '100%.txt']);
    expect(await found({ vaultId: 'unknown' })).toEqual([]);
    expect(await found({ mimeType: 'application/pdf' })).toEqual(['Ärger.pdf', 'a_b.pdf']);
    expect(await found({ mimeType: 'application/' })).toEqual([]);
    expect(await found({ mimeType: 'image/svg+xml' })).toEqual(['image+xml.svg']);
    expect(await found({ vaultId: second.id, mimeType: 'application/pdf' })).toEqual(['a_b.pdf']);
    expect(await found({ search: 'äRGER' })).toEqual(['Ärger.pdf']);
    expect(await found({ search: '%' })).toEqual(['100%.txt']);
    expect(await found({ search: '_' })).toEqual(['a_b.pdf']);
    expect(await found({ search: '\\' })).toEqual([]);
    expect(await found({ search: '.PDF', vaultId: second.id })).toEqual(['a_b.pdf']);
    expect(await found({ search: '' })).toHaveLength(4);
  });

  test('with an invalid parameter returns 400 with its name', async () => {
    const { developer } = await startTestServer();
    const refusals: [string, string, string][] = [
      ['page=0', 'page', 'minimum'],
      ['pageSize=101', 'pageSize', 'maximum'],
      ['sortBy=createdAt', 'sortBy', 'enum'],
      ['sortOrder=down', 'sortOrder', 'enum'],
      ['vaultId=', 'vaultId', 'minLength'],
      ['mimeType=', 'mimeType', 'minLength'],
      [`search=${'x'.repeat(201)}`, 'search', 'maxLength'],
    ];
    for (const [query, field, constraint] of refusals) {
      const refused = await developer('GET', `/api/v1/documents?${query}`);
      expect(refused, query).toMatchObject(invalid(field, constraint));
    }
    expect(await developer('GET', '/api/v1/documents')).toMatchObject(emptyPage);
  });

  test('returns pages that do not overlap and contain every document', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const ids = new Set<string>();
    for (let count = 0; count < 11; count += 1) {
      ids.add((await newDocument(developer, vault.id, 'same')).id);
    }
    for (const order of ['', '&sortBy=sizeBytes', '&sortBy=fileName&sortOrder=desc']) {
      const seen: string[] = [];
      for (const page of [1, 2, 3, 4]) {
        const { body } = await developer(
          'GET',
          `/api/v1/documents?pageSize=4&page=${page}${order}`,
        );
        expect(body.pagination).toEqual({
          page,
          pageSize: 4,
          totalPages: 3,
          totalCount: 11,
          hasNextPage: page < 3,
          hasPreviousPage: page > 1,
        });
        seen.push(...body.data.map(({ id }: Document) => id));
      }
      expect(seen).toHaveLength(11);
      expect(new Set(seen)).toEqual(ids);
    }
  });
});
