import { expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { inDatabase } from './support/data-folder.ts';
import { invalid } from './support/replies.ts';
import { newDocument, newVault } from './support/resources.ts';

const lists = [
  { path: '/api/v1/vaults', indexed: 'createdAt', other: 'name' },
  { path: '/api/v1/documents', indexed: 'uploadedAt', other: 'sizeBytes' },
];

test('an order without index over more than 100,000 rows of all accounts returns 400 sortableRows', async () => {
  const { developer, admin, data } = await startWithAdministrator();
  const vault = await newVault(developer);
  await newDocument(developer, vault.id);
  const count = (rows: number) =>
    inDatabase(data, (database) => {
      // As if an account had that many rows.
      database.exec(`UPDATE account_usage SET vaults = ${rows}, documents = ${rows}
        WHERE user_id = (SELECT user_id FROM vaults)`);
    });

  count(100_000);
  for (const { path, other } of lists) {
    expect(await admin('GET', `${path}?account=all&sortBy=${other}`)).toMatchObject({
      status: 200,
    });
  }
  count(100_001);
  for (const { path, indexed, other } of lists) {
    expect(await admin('GET', `${path}?account=all&sortBy=${other}`)).toMatchObject(
      invalid('sortBy', 'sortableRows'),
    );
    expect(await admin('GET', `${path}?account=all&sortBy=${indexed}`)).toMatchObject({
      status: 200,
    });
    expect(await admin('GET', `${path}?sortBy=${other}`)).toMatchObject({ status: 200 });
    expect(await developer('GET', `${path}?sortBy=${other}`)).toMatchObject({ status: 200 });
  }
  const ofVault = `/api/v1/documents?sortBy=sizeBytes&vaultId=${vault.id}`;
  expect(await admin('GET', ofVault)).toMatchObject({ status: 200 });
});
