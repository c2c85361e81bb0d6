/**
 * Prints what an account holds: its vaults with their documents and shares, in one request of GraphQL.
 *
 *     npx node examples/graphql-report.ts
 *
 * Prerequisites: `npm install` and `npm run build`; a server (`npm start`), and in the environment its
 * address as VAULT_URL and an API key of the account as VAULT_API_KEY.
 */
import { DocumentVault } from '@document-vault/sdk';
import { createGraphql, isGraphqlError } from '@document-vault/sdk/graphql';

interface Report {
  readonly vaults: { readonly data: readonly VaultOfReport[] };
}

interface VaultOfReport {
  readonly name: string;
  readonly totalSize: number;
  readonly documents: { readonly data: readonly DocumentOfReport[] };
}

interface DocumentOfReport {
  readonly fileName: string;
  readonly shares: { readonly pagination: { readonly totalCount: number } };
}

const report = /* GraphQL */ `
  query report($vaults: Int!) {
    vaults(pageSize: $vaults, sortBy: name) {
      data {
        name
        totalSize
        documents(sortBy: fileName) {
          data { fileName shares(pageSize: 1) { pagination { totalCount } } }
        }
      }
    }
  }
`;

const client = new DocumentVault({
  baseUrl: process.env.VAULT_URL ?? 'http://localhost:4000',
  apiKey: process.env.VAULT_API_KEY,
});
const gql = createGraphql(client);

try {
  const asked = gql.request<Report>(report, { vaults: 20 });
  const { data, cost } = await asked.withResponse();
  for (const { name, totalSize, documents } of data.vaults.data) {
    console.log(`${name}: ${totalSize} bytes`);
    for (const { fileName, shares } of documents.data) {
      console.log(`  ${fileName}, shared ${shares.pagination.totalCount} times`);
    }
  }
  if (cost) console.log(`${cost.points} points; ${cost.remaining} of ${cost.limit} left`);
} catch (error) {
  if (!isGraphqlError(error)) throw error;
  console.error(error.code, error.message);
  process.exitCode = 1;
}
