import { expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { clientOf, documentOf, newClient, newDocument, newVault } from './support/resources.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Characters without a glyph, or that change the order of others. */
const invisible =
  '\0\n\u007f\u0085\u00ad\u034f\u061c\u115f\u17b4\u200b\u200e\u2028\u202e\u2060\u2069\u2800\u3164\ufeff\uffa0\ufffa\u{e0041}';

const refused = [
  ...Array.from(invisible, (character) => `a${character}b`),
  '\u3164',
  '\u2800\u2800',
  '\u00ad',
  '\u200d',
  '\u200c \ufe0f',
  '\u{1f3f4}\u{e0041}hidden',
];

const accepted = [
  'Zürich 東京 😀',
  'e\u0301',
  'می\u200cخواهم 👩\u200d🔬 ❤\ufe0f',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Scotland',
  '15:30\u202fUhr',
  'ᠮᠣᠩᠭᠣᠯ\u180eᠠ',
];

/** Every name that one person writes and others read. */
async function start() {
  const server = await startWithAdministrator();
  const { developer, admin, instanceId } = server;
  const vault = await newVault(developer);
  const document = await newDocument(developer, vault.id);
  const account = { email: 'new@example.com', password: 'correct horse battery' };
  const key = { scopes: ['vaults:read'] };
  const consent = { purpose: 'Tax return', grantedTo: 'Linden Tax Advisers' };
  const { call: ada } = await server.signUp('ada@example.com');
  const client = await newClient(ada);
  type Row = readonly [typeof developer, string, string, Fields, string];
  const rows: Row[] = [
    [developer, 'POST', '/api/v1/vaults', {}, 'name'],
    [developer, 'PUT', `/api/v1/vaults/${vault.id}`, {}, 'name'],
    [developer, 'POST', '/api/v1/documents', documentOf(vault.id, 'x'), 'fileName'],
    [developer, 'PUT', `/api/v1/documents/${document.id}`, {}, 'fileName'],
    [developer, 'POST', '/auth/register', account, 'name'],
    [ada, 'PUT', '/api/v1/users/me', {}, 'name'],
    [ada, 'POST', '/api/v1/api-keys', key, 'name'],
    [ada, 'POST', '/api/v1/oauth/clients', clientOf(), 'name'],
    [ada, 'PUT', `/api/v1/oauth/clients/${client.clientId}`, {}, 'name'],
    [developer, 'POST', '/api/v1/consents', consent, 'purpose'],
    [developer, 'POST', '/api/v1/consents', consent, 'grantedTo'],
    [admin, 'POST', '/api/v1/instances', { region: 'eu' }, 'name'],
    [admin, 'PUT', `/api/v1/instances/${instanceId}`, {}, 'name'],
  ];
  return { ...server, rows };
}

test('names with invisible characters, or without a visible one, return 400 format', async () => {
  const { rows } = await start();
  for (const [call, method, path, body, field] of rows) {
    for (const name of refused) {
      const reply = await call(method, path, { body: { ...body, [field]: name } });
      const label = `${method} ${path} ${field} ${JSON.stringify(name)}`;
      expect(reply.status, label).toBe(400);
      expect(reply.body.error.details.violations, label).toContainEqual({
        field,
        constraint: 'format',
        message: expect.stringContaining('visible character'),
      });
    }
  }
});

test('scopes of a consent with invisible characters return 400 format', async () => {
  const { developer } = await startWithAdministrator();
  for (const scope of refused) {
    const body = { purpose: 'Tax return', grantedTo: 'Linden Tax Advisers', scopes: ['a', scope] };
    const reply = await developer('POST', '/api/v1/consents', { body });
    expect(reply.status, JSON.stringify(scope)).toBe(400);
    expect(reply.body.error.details).toMatchObject({ field: 'scopes.1', constraint: 'format' });
  }
});

test('names of any script are returned unchanged, and descriptions keep every character', async () => {
  const { developer } = await start();
  const description = 'a\u0001\u007f\u202eb\u200bc\ufeffd\u3164';
  for (const name of accepted) {
    const vault = await developer('POST', '/api/v1/vaults', { body: { name, description } });
    expect(vault, name).toMatchObject({ status: 201, body: { name, description } });
    const body = { ...documentOf(vault.body.id, 'x'), fileName: name };
    const document = await developer('POST', '/api/v1/documents', { body });
    expect(document, name).toMatchObject({ status: 201, body: { fileName: name } });
  }
});
