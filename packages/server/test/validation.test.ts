import { beforeEach, describe, expect, test } from 'vitest';
import { contractOperations, resolvePointer } from '../src/contract/contract.ts';
import { formatText, patternText } from '../src/generated/rules/patterns.ts';
import { invalid } from './support/replies.ts';
import { documentOf, newVault } from './support/resources.ts';
import { startTestServer, type TestServer } from './support/server.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startTestServer();
});

const createVault = (body: unknown) => server.developer('POST', '/api/v1/vaults', { body });

/** Asserts that the rejected requests have stored nothing. */
async function expectNoVaults(): Promise<void> {
  expect((await server.developer('GET', '/api/v1/vaults')).body.pagination.totalCount).toBe(0);
}

describe('violations of a request body', () => {
  test('a misspelt property returns 400 additionalProperties with the nearest name', async () => {
    const vault = await newVault(server.developer);
    const upload = documentOf(vault.id, 'x');
    const { encryptionMetadata, ...document } = upload;
    const webhook = { url: 'https://a.example', events: ['vault.created'] };
    for (const [path, body, field, hint] of [
      ['vaults', { Name: 'x' }, 'Name', ' Did you mean name?'],
      ['vaults', { name: 'x', isactive: true }, 'isactive', ''],
      ['vaults', { name: 'x', descripton: 'y' }, 'descripton', ' Did you mean description?'],
      ['vaults', { name: 'x', constructor: 1 }, 'constructor', ''],
      ['vaults', { name: 'x', '': 1 }, 'body', ''],
      ['documents', { ...upload, filename: 'y' }, 'filename', ' Did you mean fileName?'],
      [
        'documents',
        { ...document, encryptionMetaData: {} },
        'encryptionMetaData',
        ' Did you mean encryptionMetadata?',
      ],
      ['webhooks', { ...webhook, event: [] }, 'event', ' Did you mean events?'],
    ] as const) {
      const reply = await server.developer('POST', `/api/v1/${path}`, { body });
      const message = `${field} is not a known property.${hint}`;
      expect(reply.status).toBe(400);
      expect(reply.body.error.details.violations, field).toContainEqual({
        field,
        constraint: 'additionalProperties',
        message,
      });
    }
  });

  test('an unknown property returns 400 additionalProperties with its name', async () => {
    const reply = await createVault({ name: 'Taxes', colour: 'blue' });
    expect(reply).toMatchObject(invalid('colour', 'additionalProperties'));
    const [{ message }] = reply.body.error.details.violations;
    expect(reply.body.error.message).toBe(message);
    expect(message).toContain('colour');
    await expectNoVaults();
  });

  test('every broken rule returns 400 with the field, or `body`, and the constraint', async () => {
    for (const [body, field, constraint] of [
      [{}, 'name', 'required'],
      [{ name: 5 }, 'name', 'type'],
      [{ name: null }, 'name', 'type'],
      [{ name: ['Taxes'] }, 'name', 'type'],
      [{ name: '' }, 'name', 'minLength'],
      [{ name: 'x'.repeat(121) }, 'name', 'maxLength'],
      [{ name: 'x', description: 'x'.repeat(2001) }, 'description', 'maxLength'],
      [{ name: 'x', category: 'Personal' }, 'category', 'pattern'],
      [{ name: 'x', category: 'x'.repeat(51) }, 'category', 'maxLength'],
      [{ name: 'x', id: 'mine' }, 'id', 'additionalProperties'],
      [{ name: 'x', isActive: true }, 'isActive', 'additionalProperties'],
      [{ name: 'x', constructor: {} }, 'constructor', 'additionalProperties'],
      ['{"name":"x","__proto__":{"admin":true}}', '__proto__', 'additionalProperties'],
      ['[]', 'body', 'type'],
      ['null', 'body', 'type'],
      ['"name"', 'body', 'type'],
      ['5', 'body', 'type'],
    ] as const) {
      const reply = await createVault(body);
      const label = JSON.stringify(body);
      expect(reply, label).toMatchObject(invalid(field, constraint));
      const { message, details } = reply.body.error;
      expect(details.violations, label).toEqual([{ field, constraint, message }]);
    }
    await expectNoVaults();
  });

  test('patterns and formats are explained in words', async () => {
    const vault = await newVault(server.developer);
    const upload = (fields: object) =>
      server.developer('POST', '/api/v1/documents', {
        body: { ...documentOf(vault.id, 'x'), ...fields },
      });
    const webhook = { events: ['vault.created'], secret: 's'.repeat(32) };
    const register = (fields: object) =>
      server.developer('POST', '/api/v1/webhooks', { body: { ...webhook, ...fields } });
    const replies = await Promise.all([
      upload({ fileName: 'a/b' }),
      upload({ mimeType: 'pdf' }),
      upload({ encryptedData: '?' }),
      createVault({ name: 'x', category: 'My taxes' }),
      createVault({ name: 'a\0b' }),
      register({ url: 'ftp://example.com' }),
      register({ url: 'https://example.com', headers: { 'a b': 'c' } }),
    ]);
    expect(replies.map(({ body }) => body.error.message)).toEqual([
      'fileName must have a visible character, and no control characters or other invisible ones, neither / nor \\, and not be "." or "..".',
      'mimeType must be a media type without parameters, such as application/pdf.',
      'encryptedData must be base64 with padding.',
      'category must consist of lower-case letters, digits, _ and -.',
      'name must have a visible character, and no control characters or other invisible ones.',
      'url must begin with https:// or http://.',
      'headers.a b is not a header name.',
    ]);
  });

  test('every pattern and format of a request has words', () => {
    const patterns = new Set<string>();
    const formats = new Set<string>();
    const visited = new Set<string>();
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { $ref, pattern, format } = value as Record<string, unknown>;
      if (typeof pattern === 'string') patterns.add(pattern);
      if (typeof format === 'string') formats.add(format);
      if (typeof $ref === 'string' && !visited.has($ref)) {
        visited.add($ref);
        visit(resolvePointer($ref));
      }
      for (const part of Object.values(value)) visit(part);
    };
    for (const { pointer, parameters } of contractOperations) {
      visit((resolvePointer(pointer) as { requestBody?: unknown }).requestBody);
      for (const parameter of parameters) if (parameter.in !== 'path') visit(parameter.schema);
    }
    expect(patterns.size).toBeGreaterThan(5);
    for (const pattern of patterns) expect(patternText(pattern)).not.toContain(pattern);
    // No validator rejects a password or bytes by their format.
    for (const format of formats) {
      if (format !== 'password' && format !== 'binary')
        expect(formatText(format)).not.toContain('format');
    }
  });

  test('details list all violations and repeat the first one', async () => {
    const reply = await createVault({ name: ' ', category: 'A B', colour: 1, size: 2 });
    const { field, constraint, violations } = reply.body.error.details;
    const found = violations.map((violation: { field: string; constraint: string }) => [
      violation.field,
      violation.constraint,
    ]);
    expect(found[0]).toEqual([field, constraint]);
    expect(found.sort()).toEqual([
      ['category', 'pattern'],
      ['colour', 'additionalProperties'],
      ['name', 'minLength'],
      ['size', 'additionalProperties'],
    ]);
  });

  test('the field of a violation inside an object is a dotted path', async () => {
    for (const [fields, field, constraint] of [
      [{ iv: undefined }, 'encryptionMetadata.iv', 'required'],
      [{ iv: 'no base64' }, 'encryptionMetadata.iv', 'format'],
      [{ iterations: 0 }, 'encryptionMetadata.iterations', 'minimum'],
      [{ iterations: '600000' }, 'encryptionMetadata.iterations', 'type'],
    ] as const) {
      const document = documentOf('unknown', 'x');
      const metadata = { ...document.encryptionMetadata, ...fields };
      const body = { ...document, encryptionMetadata: metadata };
      const reply = await server.developer('POST', '/api/v1/documents', { body });
      expect(reply, JSON.stringify(fields)).toMatchObject(invalid(field, constraint));
    }
  });

  test('the field of a violation inside a list is a dotted path with the index', async () => {
    const body = { events: ['vault.created', 'vault.painted'] };
    const reply = await server.developer('POST', '/api/v1/webhooks', { body });
    expect(reply.body.error.details.violations).toMatchObject([
      { field: 'url', constraint: 'required' },
      { field: 'events.1', constraint: 'enum' },
    ]);
  });

  test('an empty change returns 400 minProperties for the body', async () => {
    const { id } = await newVault(server.developer);
    const reply = await server.developer('PUT', `/api/v1/vaults/${id}`, { body: {} });
    expect(reply).toMatchObject(invalid('body', 'minProperties'));
  });

  test('an invalid header returns 400 with the name of the header', async () => {
    for (const [value, constraint] of [
      ['x'.repeat(256), 'maxLength'],
      ['', 'minLength'],
      ['schlüssel', 'pattern'],
    ] as const) {
      const reply = await server.developer('POST', '/api/v1/vaults', {
        body: { name: 'Taxes' },
        headers: { 'idempotency-key': value },
      });
      expect(reply, value).toMatchObject(invalid('Idempotency-Key', constraint));
    }
    await expectNoVaults();
  });
});

describe('white space', () => {
  test('it is removed around a name before the length is checked', async () => {
    const space = ' \t\n\u00a0'.repeat(100);
    const longest = await createVault({ name: `${space}${'x'.repeat(120)}${space}` });
    expect(longest).toMatchObject({ status: 201, body: { name: 'x'.repeat(120) } });
    const inside = await createVault({ name: ' my  taxes ' });
    expect(inside).toMatchObject({ status: 201, body: { name: 'my  taxes' } });
    expect(await createVault({ name: `${space}${'x'.repeat(121)}` })).toMatchObject(
      invalid('name', 'maxLength'),
    );
    expect(await createVault({ name: space })).toMatchObject(invalid('name', 'minLength'));

    const path = `/api/v1/vaults/${inside.body.id}`;
    const changed = await server.developer('PUT', path, { body: { name: ' changed ' } });
    expect(changed.body.name).toBe('changed');
  });

  test('it is kept around a description', async () => {
    const { body } = await createVault({ name: 'x', description: ' as it is ' });
    expect(body.description).toBe(' as it is ');
  });
});

describe('text', () => {
  test('special characters are returned unchanged and can be searched for', async () => {
    for (const name of [
      'Zürich 東京 😀',
      'é e\u0301',
      'می\u200cخواهم 👩\u200d🔬',
      `'; DROP TABLE vaults; -- %_\\"`,
      '__proto__',
    ]) {
      const created = await createVault({ name, description: name });
      expect(created, name).toMatchObject({ status: 201, body: { name, description: name } });
      const path = `/api/v1/vaults/${created.body.id}`;
      expect((await server.developer('GET', path)).body).toEqual(created.body);
      const query = `search=${encodeURIComponent(name)}`;
      const found = await server.developer('GET', `/api/v1/vaults?${query}`);
      expect(found.body.data, name).toEqual([created.body]);
    }
  });

  test('NUL returns 400 pattern, because databases end a text there', async () => {
    expect(await createVault({ name: 'a\0b' })).toMatchObject(invalid('name', 'format'));
    expect(await createVault({ name: 'x', description: '\0' })).toMatchObject(
      invalid('description', 'pattern'),
    );
    expect(await server.developer('GET', '/api/v1/vaults?search=%00')).toMatchObject(
      invalid('search', 'pattern'),
    );
  });

  test('lengths count characters, not UTF-16 units', async () => {
    expect((await createVault({ name: '😀'.repeat(120) })).status).toBe(201);
    expect(await createVault({ name: '😀'.repeat(121) })).toMatchObject(
      invalid('name', 'maxLength'),
    );
  });

  test('lone surrogates return 400 json', async () => {
    for (const body of [
      '{"name":"\\ud800"}',
      '{"name":"a\\udc00b"}',
      '{"name":"x","description":"\\udfff\\ud800"}',
      '{"name":"x","\\ud800":1}',
    ]) {
      expect(await createVault(body), body).toMatchObject(invalid('body', 'json'));
    }
    await expectNoVaults();
  });
});

describe('query parameters', () => {
  const list = (query: string) => server.developer('GET', `/api/v1/vaults?${query}`);

  test('an invalid value returns 400 with the parameter and the constraint', async () => {
    for (const [query, field, constraint] of [
      ['page=0', 'page', 'minimum'],
      ['page=-1', 'page', 'minimum'],
      ['page=1.5', 'page', 'type'],
      ['page=one', 'page', 'type'],
      ['page=', 'page', 'type'],
      ['page=1&page=2', 'page', 'type'],
      ['pageSize=0', 'pageSize', 'minimum'],
      ['pageSize=101', 'pageSize', 'maximum'],
      ['pageSize=20&pageSize=20', 'pageSize', 'type'],
      ['sortBy=colour', 'sortBy', 'enum'],
      ['sortBy=name&sortBy=createdAt', 'sortBy', 'type'],
      ['sortOrder=up', 'sortOrder', 'enum'],
      ['isActive=maybe', 'isActive', 'type'],
      ['isActive=', 'isActive', 'type'],
      ['category=Personal', 'category', 'pattern'],
      [`search=${'x'.repeat(201)}`, 'search', 'maxLength'],
      ['search=a&search=b', 'search', 'type'],
    ] as const) {
      expect(await list(query), query).toMatchObject(invalid(field, constraint));
    }
  });

  test('details list all invalid parameters', async () => {
    const { body } = await list('page=0&pageSize=101&sortBy=colour');
    const fields = body.error.details.violations.map(({ field }: { field: string }) => field);
    expect(fields.sort()).toEqual(['page', 'pageSize', 'sortBy']);
  });

  test('values at their limits are accepted', async () => {
    for (const query of [
      'page=1',
      'pageSize=1',
      'pageSize=100',
      'page=9007199254740991',
      'page=007',
    ]) {
      expect((await list(query)).status, query).toBe(200);
    }
  });

  test('numbers that are not whole numbers in decimal digits return 400 type', async () => {
    await newVault(server.developer);
    for (const value of [
      ...[
        '',
        '0x1',
        '0b1',
        '%2B1',
        '1e2',
        '1e308',
        '1e400',
        '1.0',
        '1.5',
        '1_0',
        '%201',
        '1%20',
        '1n',
        '١',
      ],
      ...['Infinity', '-Infinity', 'NaN', 'true', 'null', '9007199254740992', '1&page=2'],
    ]) {
      const reply = await list(`page=${value}`);
      expect(reply, value).toMatchObject(invalid('page', 'type'));
      expect(reply.body.error.message, value).toBe('page must be integer.');
    }
    expect(await list('pageSize=0x1')).toMatchObject(invalid('pageSize', 'type'));
    expect(await list('page=-1')).toMatchObject(invalid('page', 'minimum'));
  });

  test('booleans other than true and false return 400 type', async () => {
    for (const value of ['', '1', '0', 'TRUE', 'True', 'yes', 'null', '%20true']) {
      const reply = await list(`isActive=${value}`);
      expect(reply, value).toMatchObject(invalid('isActive', 'type'));
    }
  });

  test('an unknown parameter returns 400 unknown and names the nearest one', async () => {
    await newVault(server.developer);
    const cases: [query: string, field: string, hint: string][] = [
      ['colour=blue', 'colour', ''],
      ['Page=0', 'Page', ' Did you mean page?'],
      ['PageSize=5', 'PageSize', ' Did you mean pageSize?'],
      ['page_size=5', 'page_size', ' Did you mean pageSize?'],
      ['serach=tax', 'serach', ' Did you mean search?'],
      ['name=x&name=y', 'name', ''],
      ['__proto__=1', '__proto__', ''],
      ['constructor=1', 'constructor', ''],
      ['%00=%FF', '\u0000', ''],
    ];
    for (const [query, field, hint] of cases) {
      const reply = await list(query);
      expect(reply, query).toMatchObject(invalid(field, 'unknown'));
      expect(reply.body.error.message).toBe(`${field} is not a known parameter.${hint}`);
    }
  });

  test('a parameter without a name returns 400 unknown and says so', async () => {
    const reply = await list('=1');
    expect(reply).toMatchObject(invalid('query', 'unknown'));
    expect(reply.body.error.message).toBe('A parameter has no name.');
  });

  test('all unknown parameters are listed, before the invalid values of known ones', async () => {
    const { body } = await list('vaultid=1&page=0&sortby=name');
    const fields = body.error.details.violations.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(['vaultid', 'sortby']);
  });

  test('an unknown parameter of an operation without parameters returns 400 unknown', async () => {
    for (const path of ['/api/v1/users/me', '/.well-known/jwks.json', '/api/v1/vaults/1']) {
      const reply = await server.developer('GET', `${path}?fields=id`);
      expect(reply, path).toMatchObject(invalid('fields', 'unknown'));
    }
    const created = await server.developer('POST', '/api/v1/vaults?draft=1', {
      body: { name: 'A' },
    });
    expect(created).toMatchObject(invalid('draft', 'unknown'));
    expect((await list('search=A')).body.data).toEqual([]);
  });

  test('a missing required parameter returns 400 required', async () => {
    const reply = await server.developer('GET', '/api/v1/vaults/search');
    expect(reply).toMatchObject(invalid('search', 'required'));
  });
});
