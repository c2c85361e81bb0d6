// Who may import whom; ARCHITECTURE.md says why.

/** Forbids `from` to reach `to` (regular expressions over paths from the root). */
function forbid(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to };
}

const server = '^packages/server/src';

/** The folders of the server from the top down. None imports from a folder above it or beside it. */
const floors = [
  ['main', 'index'],
  ['cli'],
  ['test-server'],
  ['app'],
  ['oauth', 'faults'],
  ['http'],
  ['delivery', 'graphql', 'metrics'],
  ['domain'],
  ['store'],
  ['lib'],
  ['config', 'contract'],
];

const serverFloors = floors.slice(1).flatMap((folders, index) =>
  folders.map((folder) => {
    const others = floors
      .slice(0, index + 2)
      .flat()
      .filter((other) => other !== folder);
    return forbid(
      `server-floors-${folder}`,
      'A folder of the server imports only from folders below it.',
      { path: `${server}/${folder}/` },
      { path: `${server}/(${others.join('|')})(/|\\.ts$)` },
    );
  }),
);

/** What the SDK's entry for GraphQL asks its users to install. */
const graphqlLibraries = ['^node_modules/graphql/', '^node_modules/graphql-request/'];

module.exports = {
  forbidden: [
    ...serverFloors,
    forbid('no-circular', 'A cycle hides who depends on whom.', {}, { circular: true }),
    forbid('not-resolvable', 'Every import resolves.', {}, { couldNotResolve: true }),
    forbid(
      'no-undeclared-package',
      'A package imports only what its package.json declares.',
      { path: '^packages/[^/]+/src' },
      {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'],
        // Peers are installed for the tests too.
        dependencyTypesNot: ['npm-peer'],
        // The build bundles it.
        pathNot: '^node_modules/@graphql-yoga/render-graphiql/',
      },
    ),

    forbid(
      'verifier-imports-nothing',
      'The verifier has no dependencies; an adapter may name the types of its framework.',
      { path: '^packages/webhook-verify/src' },
      { pathNot: '^packages/webhook-verify/src', dependencyTypesNot: ['core', 'type-only'] },
    ),
    forbid(
      'fixtures-stay-out-of-the-verifier',
      'Receivers in production carry neither fixtures nor the command line.',
      {
        path: '^packages/webhook-verify/src',
        pathNot: '^packages/webhook-verify/src/(cli/|testing\\.ts$)',
      },
      { path: '^packages/webhook-verify/src/(cli/|testing\\.ts$|generated/fixtures\\.ts$)' },
    ),

    forbid(
      'sdk-dependencies',
      'Each entry of the SDK has at most one library: http openapi-fetch, graphql graphql-request, oauth oauth4webapi. One is for Node.',
      { path: '^packages/sdk/src', pathNot: '^packages/sdk/src/stores/node\\.ts$' },
      {
        pathNot: ['^packages/sdk/src', '/openapi-fetch/', '/oauth4webapi/', ...graphqlLibraries],
      },
    ),
    forbid(
      'testing-dependencies',
      'The test kit imports published entries of the SDK for types and errors, and msw.',
      { path: '^packages/testing/src' },
      {
        pathNot: [
          '^packages/testing/src',
          '^packages/sdk/src/(index|http-client/index)\\.ts$',
          '^node_modules/msw/',
        ],
      },
    ),
    forbid(
      'only-the-handlers-of-the-test-kit-know-its-library',
      'The responses of the kit do not depend on msw.',
      {
        path: '^packages/testing/src',
        pathNot: '^packages/testing/src/(handlers|test-vault)\\.ts$',
      },
      { path: '^node_modules/msw/' },
    ),
    forbid(
      'only-sdk-http-knows-its-library',
      'The main entry does not pay for openapi-fetch.',
      { path: '^packages/sdk/src', pathNot: '^packages/sdk/src/http-client/' },
      { path: '/openapi-fetch/' },
    ),
    forbid(
      'only-sdk-graphql-knows-its-library',
      'Only users of GraphQL need graphql-request.',
      { path: '^packages/sdk/src', pathNot: '^packages/sdk/src/graphql/' },
      { path: graphqlLibraries },
    ),
    forbid(
      'only-sdk-oauth-knows-its-library',
      'Only apps with OAuth need oauth4webapi.',
      { path: '^packages/sdk/src', pathNot: '^packages/sdk/src/oauth/' },
      { path: '/oauth4webapi/' },
    ),
    forbid(
      'sdk-index-is-the-surface',
      'Nothing inside the SDK imports its public surface.',
      { path: '^packages/sdk/src' },
      { path: '^packages/sdk/src/index\\.ts$' },
    ),
    forbid(
      'sdk-layers',
      'index -> client -> resources -> http -> options, errors.',
      { path: '^packages/sdk/src/(http/|errors|options|crypto)' },
      { path: '^packages/sdk/src/(resources|client)' },
    ),
    forbid(
      'sdk-resources-below-client',
      'Resources do not know the client.',
      { path: '^packages/sdk/src/resources' },
      { path: '^packages/sdk/src/client' },
    ),

    forbid(
      'sdk-share-links-are-an-entry',
      'Who makes no links carries nothing of them.',
      { path: '^packages/sdk/src', pathNot: '^packages/sdk/src/share/' },
      { path: '^packages/sdk/src/share/' },
    ),

    forbid(
      'server-uses-sdk-in-tests-only',
      'The server implements the contract without its client.',
      { path: server },
      { path: '^packages/sdk' },
    ),
    forbid(
      'only-app-and-main-wire',
      'Only the process and the programmatic start import the composition root.',
      {
        path: server,
        pathNot: `${server}/(app/.*|main|index|cli/start|test-server/.*)\\.ts$`,
      },
      { path: `${server}/app/` },
    ),
    forbid(
      'only-the-start-loads-faults',
      'No other room knows the faults of development; production does not load them.',
      { path: server, pathNot: `${server}/((faults|test-server|app)/.*|index)\\.ts$` },
      { path: `${server}/faults/` },
    ),
    forbid(
      'http-imports-domain',
      'The front door knows the domain, not the store, not delivery.',
      { path: `${server}/http` },
      { path: `${server}/(store|delivery|cli)` },
    ),
    forbid(
      'contract-stands-below-the-front-doors',
      'The contract is read once; it imports generated files.',
      { path: `${server}/contract/` },
      { path: server, pathNot: `${server}/(contract|generated)/` },
    ),
    forbid(
      'ajv-is-loaded-to-validate-responses-alone',
      'Requests have compiled validators: a server starts without Ajv.',
      { path: server, pathNot: `${server}/contract/ajv\\.ts$` },
      {
        path: ['node_modules/ajv', `${server}/contract/ajv\\.ts$`],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    ),
    forbid(
      'graphql-imports-domain',
      'GraphQL imports the domain and the contract, nothing of REST.',
      { path: `${server}/graphql` },
      { path: `${server}/(store|delivery|cli|http)` },
    ),
    forbid(
      'graphql-is-read-when-it-is-asked-for',
      'The front door knows types and errors of GraphQL, and not its library.',
      { path: `${server}/(http|app)` },
      {
        path: `${server}/graphql`,
        pathNot: `${server}/graphql/errors\\.ts$`,
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    ),
    forbid(
      'only-graphql-knows-its-library',
      'graphql and DataLoader stay in graphql/.',
      { path: server, pathNot: `${server}/graphql/` },
      { path: 'node_modules/(graphql|dataloader)/' },
    ),
    forbid(
      'cli-is-a-front-door-of-its-own',
      'The command line imports nothing of the other front doors.',
      { path: `${server}/cli` },
      { path: `${server}/(http|graphql|delivery)` },
    ),
    forbid(
      'delivery-imports-domain-and-port',
      'Delivery knows the domain and the store port.',
      { path: `${server}/delivery` },
      { path: `${server}/(http|graphql|cli|store/(sqlite|postgres|lists|maintenance))` },
    ),
    forbid(
      'delivery-imports-port-types',
      'Delivery knows the store as types only.',
      { path: `${server}/delivery` },
      { path: `${server}/store`, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'store-knows-no-layer-above',
      'The store imports lib, and nothing of the contract.',
      { path: `${server}/store` },
      {
        path: server,
        pathNot: `${server}/(store|lib)/`,
      },
    ),
    forbid(
      'rows-know-no-database',
      'Repositories and lists are written once for every database.',
      { path: `${server}/store/(rows|lists)` },
      { path: `${server}/store/(sqlite|postgres|maintenance)` },
    ),
    forbid(
      'domain-imports-port-types',
      'The domain knows the store as types only.',
      { path: `${server}/domain` },
      { path: `${server}/(store|http|delivery|cli)`, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'config-stands-alone',
      'It imports nothing inside but the tiers of the contract.',
      { path: `${server}/config/` },
      { path: server, pathNot: `${server}/(config/|generated/rules/limits\\.ts$)` },
    ),
    forbid(
      'only-http-knows-koa',
      'Koa stays in http/.',
      { path: server, pathNot: `${server}/http/` },
      { path: 'node_modules/(koa|@koa|@types/koa)' },
    ),
    forbid(
      'only-oauth-knows-its-library',
      'oidc-provider stays in oauth/.',
      { path: '^packages/', pathNot: `${server}/oauth/` },
      { path: 'node_modules/(oidc-provider|@types/oidc-provider)/' },
    ),
    forbid(
      'oauth-is-loaded-when-it-is-used',
      'A server without a request for OAuth never loads its engine.',
      { path: server, pathNot: `${server}/oauth/(engine[-a-z]*|adapter)\\.ts$` },
      {
        path: [`${server}/oauth/(engine[-a-z]*|adapter)\\.ts$`, 'node_modules/oidc-provider/'],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    ),
    forbid(
      'only-metrics-know-prometheus',
      'prom-client stays in metrics/: requests are counted without it.',
      { path: server, pathNot: `${server}/metrics/` },
      { path: 'node_modules/prom-client' },
    ),
    forbid(
      'only-drivers-know-a-database',
      'A database library stays in store/sqlite.',
      { path: server, pathNot: `${server}/store/sqlite/` },
      { path: 'node_modules/(better-sqlite3|@types/better-sqlite3)' },
    ),
    forbid(
      'only-the-driver-knows-pg',
      'The client of PostgreSQL stays in store/postgres.',
      { path: server, pathNot: `${server}/store/postgres/` },
      { path: 'node_modules/(pg|@types/pg)/' },
    ),
    forbid(
      'postgres-is-loaded-when-it-is-used',
      'A server with SQLite never loads the driver of PostgreSQL.',
      { path: server, pathNot: `${server}/store/postgres/` },
      { path: `${server}/store/postgres/`, dependencyTypesNot: ['type-only', 'dynamic-import'] },
    ),
    forbid(
      'only-posts-dial',
      'Requests to addresses of users are made in one file. The object store is the address of the operator.',
      { path: server, pathNot: `${server}/(delivery/post|store/contents/s3/agent)\\.ts$` },
      { path: 'node_modules/undici|^(node:)?https$' },
    ),

    forbid(
      'only-s3-contents-know-their-library',
      'A server without an object store needs no AWS client.',
      { path: '^packages/', pathNot: `${server}/store/contents/s3/` },
      { path: '^node_modules/@aws-sdk/' },
    ),
    forbid(
      'console-imports-published-entries',
      'The console has no private interface: it imports the entries that every app can import, and the module that starts its service worker.',
      { path: '^packages/console/src' },
      {
        path: '^packages/',
        pathNot: [
          '^packages/console/src',
          '^packages/server/file-worker/serving\\.ts$',
          '^packages/sdk/src/(index|(crypto|graphql|http-client|oauth|oauth-clients|share|stores|values)/index)\\.ts$',
          '^packages/webhook-verify/src/(index|testing)\\.ts$',
        ],
      },
    ),
    forbid(
      'examples-import-published-entries',
      'Examples are outside programs.',
      { path: '^examples' },
      {
        path: '^packages/[^/]+/src',
        pathNot:
          '^packages/[^/]+/src/(index|stores/node|(crypto|graphql|http-client|oauth|oauth-clients|share|stores|testing|values)/index|adapters/koa)\\.ts$',
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|coverage)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@document-vault/source', 'import', 'node', 'types', 'default'],
    },
  },
};
