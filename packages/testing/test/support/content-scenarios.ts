import type { Recorder } from './recorder.ts';

// Requests about content, which test kit and server must respond to alike.

const hour = 3_600_000;
const day = 24 * hour;
const later = (now: number, milliseconds: number) => new Date(now + milliseconds).toISOString();
const missing = '019cadd6-a210-7670-891a-985ccc8c71a2';

export const document = {
  fileName: 'return.pdf',
  mimeType: 'application/pdf',
  encryptedData: 'c2VhbGVk',
  sizeBytes: 6,
  encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAA', authTag: 'AAAA', note: 'mine' },
};

export async function vaults(recorder: Recorder): Promise<void> {
  const { as } = await recorder.signUp('ada@vaults.example');
  const bob = await recorder.signUp('bob@vaults.example');
  const names = ['Taxes', 'élan', 'Zoo', 'taxi', 'ab'];
  const ids: string[] = [];
  for (const [index, name] of names.entries()) {
    const category = index % 2 ? 'health' : 'personal';
    const description = index === 4 ? 'All about taxes' : null;
    const vault = await recorder.send('POST /api/v1/vaults', {
      as,
      body: { name, category, description },
    });
    ids.push(vault.id);
    if (index % 2) recorder.advance(1_000);
  }
  const [first = ''] = ids;
  for (const body of [
    { isActive: false },
    {},
    { name: ' Taxes ' },
    { category: 'A B' },
    { colour: 1 },
  ]) {
    await recorder.send(`PUT /api/v1/vaults/${first}`, { as, body });
  }
  const queries = [
    '',
    '?pageSize=2',
    '?pageSize=2&page=2&sortBy=name',
    '?sortBy=name&sortOrder=desc',
  ];
  queries.push('?category=health', '?isActive=true', '?isActive=maybe', '?search=TAX', '?page=0');
  queries.push('?sortBy=updatedAt', '?sortBy=colour', '?page=9', '?pageSize=101', '?page=x&page=1');
  for (const query of queries) await recorder.send(`GET /api/v1/vaults${query}`, { as });
  for (const query of ['', '?search=', '?search=tax', '?search=tax&pageSize=1&page=2']) {
    await recorder.send(`GET /api/v1/vaults/search${query}`, { as });
  }
  for (const id of [first, missing, 'x', '%2e']) {
    await recorder.send(`GET /api/v1/vaults/${id}`, { as });
    await recorder.send(`GET /api/v1/vaults/${id}`, { as: bob.as });
  }
  await recorder.send(`PUT /api/v1/vaults/${first}`, { as: bob.as, body: { name: 'Mine' } });
  await recorder.send(`DELETE /api/v1/vaults/${first}`, { as: bob.as });
  await recorder.send(`DELETE /api/v1/vaults/${first}`, { as });
  await recorder.send(`DELETE /api/v1/vaults/${first}`, { as });
  await recorder.send('PATCH /api/v1/vaults', { as });
  await recorder.send('HEAD /api/v1/vaults', { as });
  await recorder.send('HEAD /api/v1/uploads', { as });
  for (const query of ['?PageSize=2', '?colour=1&serach=x&page=0']) {
    await recorder.send(`GET /api/v1/vaults${query}`, { as });
  }
  await recorder.send(`GET /api/v1/vaults/${ids[1]?.toUpperCase()}`, { as });
  await recorder.send(`GET /api/v1/documents?vaultId=${ids[1]?.toUpperCase()}`, { as });
  await recorder.send('GET /api/v1/nothing', { as });
}

export async function documents(recorder: Recorder): Promise<void> {
  const { as } = await recorder.signUp('ada@documents.example');
  const bob = await recorder.signUp('bob@documents.example');
  const { id: vaultId } = await recorder.send('POST /api/v1/vaults', { as, body: { name: 'A' } });
  const other = await recorder.send('POST /api/v1/vaults', { as, body: { name: 'B' } });
  const bobs = await recorder.send('POST /api/v1/vaults', { as: bob.as, body: { name: 'C' } });
  const { id } = await recorder.send('POST /api/v1/documents', {
    as,
    body: { ...document, vaultId },
  });
  recorder.advance(5);
  const wrong = [
    { sizeBytes: 7 },
    { vaultId: missing },
    { vaultId: bobs.id },
    { encryptedData: '?' },
  ];
  for (const part of [
    ...wrong,
    { fileName: 'a/b' },
    { fileName: '..' },
    { fileName: 'invoice\u202efdp.exe' },
    { encryptionMetadata: { algorithm: 'x' } },
    { id },
  ]) {
    await recorder.send('POST /api/v1/documents', { as, body: { ...document, vaultId, ...part } });
  }
  const small = { ...document, vaultId, fileName: 'b.txt', mimeType: 'text/plain' };
  await recorder.send('POST /api/v1/documents', {
    as,
    body: { ...small, encryptedData: '', sizeBytes: 0 },
  });
  const queries = [
    '',
    `?vaultId=${vaultId}&sortBy=fileName`,
    `?vaultId=${bobs.id}`,
    '?sortBy=sizeBytes',
  ];
  queries.push('?mimeType=text/plain', '?search=RET', '?vaultId=', '?sortBy=name');
  for (const query of queries) await recorder.send(`GET /api/v1/documents${query}`, { as });
  for (const query of ['', '?content=true', '?content=false', '?content=0']) {
    await recorder.send(`GET /api/v1/documents/${id}${query}`, { as });
  }
  await recorder.send(`GET /api/v1/documents/${id}`, { as: bob.as });
  const changes = [
    { fileName: 'c.pdf' },
    { fileName: 'c.pdf' },
    { vaultId: other.id },
    { vaultId: bobs.id },
  ];
  for (const body of [...changes, { vaultId: missing }, { encryptedData: 'AAAA' }, {}]) {
    await recorder.send(`PUT /api/v1/documents/${id}`, { as, body });
  }
  await recorder.send('GET /api/v1/vaults?sortBy=totalSize', { as });
  await recorder.send(`PUT /api/v1/vaults/${other.id}`, { as, body: { isActive: false } });
  await recorder.send('POST /api/v1/documents', { as, body: { ...document, vaultId: other.id } });
  await recorder.send('GET /api/v1/instances/statistics', { as });
  for (const account of ['all', bobs.userId, other.userId, 'everyone']) {
    await recorder.send(`GET /api/v1/vaults?account=${account}`, { as });
  }
  await recorder.send(`DELETE /api/v1/documents/${id}`, { as: bob.as });
  await recorder.send(`DELETE /api/v1/documents/${id}`, { as });
  await recorder.send(`DELETE /api/v1/vaults/${vaultId}`, { as });
  await recorder.send('GET /api/v1/documents', { as });
  await recorder.send('GET /api/v1/instances', { as });
}

export async function shares(recorder: Recorder, now: () => number): Promise<void> {
  const { as } = await recorder.signUp('ada@shares.example');
  const bob = await recorder.signUp('bob@shares.example');
  const { id: vaultId } = await recorder.send('POST /api/v1/vaults', { as, body: { name: 'A' } });
  const { id } = await recorder.send('POST /api/v1/documents', {
    as,
    body: { ...document, vaultId },
  });
  const share = (body?: object) =>
    recorder.send(`POST /api/v1/documents/${id}/share`, { as, body });
  const open = (token: string, by?: object) => recorder.send(`GET /api/v1/shares/${token}`, by);
  const plain = await share();
  const wrong = [
    { maxAccessCount: 0 },
    { expiresAt: later(now(), -1) },
    { permissions: ['write'] },
  ];
  for (const body of [...wrong, { expiresAt: later(now(), 366 * day) }, { access: 'all' }])
    await share(body);
  for (const by of [{}, { as: bob.as }, { as: 'nonsense' }, { as }])
    await open(plain.shareToken, by);
  const capped = await share({ maxAccessCount: 2, access: 'anyone' });
  for (let access = 0; access < 3; access++) await open(capped.shareToken);
  const described = await share({ access: 'anyone' });
  await recorder.send(`HEAD /api/v1/shares/${described.shareToken}`);
  for (const query of ['?content=false', '?content=no'])
    await open(`${described.shareToken}${query}`);
  const brief = await share({ expiresAt: later(now(), hour / 2), access: 'anyone' });
  await recorder.send(`GET /api/v1/documents/share/${brief.shareToken}`);
  recorder.advance(hour / 2);
  await open(brief.shareToken);
  const accesses = `GET /api/v1/documents/${id}/shares/${capped.id}/accesses`;
  for (const query of ['', '?pageSize=1', '?pageSize=1&page=2', '?page=9', '?page=0']) {
    await recorder.send(`${accesses}${query}`, { as });
  }
  for (const by of [{}, { as: bob.as }]) await recorder.send(accesses, by);
  await recorder.send(accesses.replace(id, missing), { as });
  await recorder.send(accesses.replace(capped.id, missing), { as });
  const revoked = await share({ access: 'anyone' });
  await recorder.send(`DELETE /api/v1/documents/${id}/shares/${revoked.id}`, { as: bob.as });
  await recorder.send(`DELETE /api/v1/documents/${missing}/shares/${revoked.id}`, { as });
  await recorder.send(`DELETE /api/v1/documents/${id}/shares/${revoked.id}`, { as });
  await open(revoked.shareToken);
  await open('unknown');
  for (const query of ['', '?sortBy=expiresAt&sortOrder=asc&pageSize=2', '?sortBy=x']) {
    await recorder.send(`GET /api/v1/documents/${id}/shares${query}`, { as });
  }
  await recorder.send(`GET /api/v1/documents/${id}/shares`, { as: bob.as });
  await recorder.send('GET /api/v1/instances/statistics', { as });
}

export async function sharedKeys(recorder: Recorder): Promise<void> {
  const { as } = await recorder.signUp('ada@derivations.example');
  const bob = await recorder.signUp('bob@derivations.example');
  const { id: vaultId } = await recorder.send('POST /api/v1/vaults', { as, body: { name: 'A' } });
  const encryptionMetadata = {
    ...document.encryptionMetadata,
    keyDerivation: 'PBKDF2',
    iterations: 600_000,
    salt: 'AAAAAAAAAAAAAAAAAAAAAA==',
    wrappedKey: 'AAAA',
  };
  const { id } = await recorder.send('POST /api/v1/documents', {
    as,
    body: { ...document, vaultId, encryptionMetadata },
  });
  const keyOf = async (by: string, ...scopes: string[]) => {
    const body = { name: 'K', scopes };
    return (await recorder.send('POST /api/v1/api-keys', { as: by, body })).key;
  };
  const callers = [
    {},
    { as },
    { as: bob.as },
    { key: await keyOf(as, 'documents:read') },
    { key: await keyOf(as, 'documents:share') },
    { key: await keyOf(as, 'documents:share', 'documents:read') },
    { key: await keyOf(as, 'documents:share', 'documents:write') },
    { key: await keyOf(bob.as, 'documents:share', 'documents:read') },
  ];
  for (const access of ['anyone', 'authenticated']) {
    const body = { access };
    const share = await recorder.send(`POST /api/v1/documents/${id}/share`, { as, body });
    for (const by of callers) {
      await recorder.send(`GET /api/v1/shares/${share.shareToken}`, by);
      await recorder.send(`GET /api/v1/shares/${share.shareToken}?content=false`, by);
    }
  }
  const key = await keyOf(as, 'documents:write');
  for (const fileName of ['b.pdf', 'b.pdf']) {
    await recorder.send(`PUT /api/v1/documents/${id}`, { key, body: { fileName } });
  }
  await recorder.send('POST /api/v1/documents', {
    key,
    body: { ...document, vaultId, encryptionMetadata },
  });
}
