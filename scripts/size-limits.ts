/**
 * What each entry of the packages may add to a bundle: bytes, minified and gzipped, measured on
 * the sources by `npm run check:size`. An entry is found by its name, as a bundler finds it.
 */
interface Entry {
  readonly name: string;
  /** Whose conditions of `exports` hold; in a browser, an import of Node's is an error. */
  readonly runtime: 'browser' | 'node';
  /** Bytes. */
  readonly limit: number;
  /** The one export that is imported; by default, all of them. */
  readonly only?: string;
  /** Packages that are not counted, since the user of the entry installs them; none by default. */
  readonly without?: readonly string[];
}

/** Every entry for bundles has its limit here. */
export const entries: readonly Entry[] = [
  {
    name: '@document-vault/webhook-verify',
    only: 'createVerifier',
    runtime: 'browser',
    limit: 2048,
  },
  { name: '@document-vault/webhook-verify', runtime: 'browser', limit: 5900 },
  { name: '@document-vault/webhook-verify/fastify', runtime: 'node', limit: 3400 },
  { name: '@document-vault/webhook-verify/koa', runtime: 'node', limit: 3300 },
  { name: '@document-vault/webhook-verify/testing', runtime: 'browser', limit: 4500 },
  { name: '@document-vault/sdk', runtime: 'browser', limit: 13_010 },
  // With openapi-fetch, and without what it shares with the main entry when both are bundled.
  { name: '@document-vault/sdk/http', runtime: 'browser', limit: 4200 },
  // With its errors, and without the library that its first request loads.
  { name: '@document-vault/sdk/oauth', runtime: 'browser', limit: 3450, without: ['oauth4webapi'] },
  // The client makes the calls.
  { name: '@document-vault/sdk/oauth-clients', runtime: 'browser', limit: 1000 },
  { name: '@document-vault/sdk/stores', runtime: 'browser', limit: 1700 },
  { name: '@document-vault/sdk/stores/node', runtime: 'node', limit: 410 },
  { name: '@document-vault/sdk/values', runtime: 'browser', limit: 1800 },
  // Without the code that encrypts and decrypts: a cipher loads it at its first use.
  { name: '@document-vault/sdk/crypto', runtime: 'browser', limit: 3500 },
  // With as much of the client as opening a link takes.
  { name: '@document-vault/sdk/share', runtime: 'browser', limit: 13_100 },
  // With the packages that its users install beside it, and what it adds to them.
  { name: '@document-vault/sdk/graphql', runtime: 'browser', limit: 18_260 },
  {
    name: '@document-vault/sdk/graphql',
    runtime: 'browser',
    limit: 5190,
    without: ['graphql-request', 'graphql'],
  },
  // For tests alone. Half of it are the compiled validators of requests.
  {
    name: '@document-vault/testing',
    runtime: 'browser',
    limit: 47_150,
    without: ['@document-vault/sdk', 'msw/http'],
  },
];

/** Size Limit takes off what an empty file costs when it is gzipped; here everything counts. */
const emptyFile = 20;

/** The part of Rolldown's options that is set. */
interface Bundling {
  readonly input: readonly string[];
  readonly plugins?: readonly object[];
}

/** A file that Rolldown writes, and the files that it loads before it runs. */
interface Chunk {
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
}

/** Leaves out what only dynamic imports load: an entry is what has to be there for it to run. */
const loadedAtOnce = {
  name: 'loaded-at-once',
  generateBundle(_options: unknown, bundle: Record<string, Chunk>) {
    const kept = Object.keys(bundle).filter((file) => bundle[file]?.isEntry);
    for (const file of kept) {
      kept.push(...(bundle[file]?.imports ?? []).filter((other) => !kept.includes(other)));
    }
    for (const file of Object.keys(bundle)) if (!kept.includes(file)) delete bundle[file];
  },
};

/** A program that exports one export of an entry, so that the others are left out. */
const partOf = (name: string, only: string) => ({
  name: 'part-of-an-entry',
  resolveId: (id: string) => (id === 'part' ? '\0part' : null),
  load: (id: string) => (id === '\0part' ? `export { ${only} } from '${name}';` : null),
});

export default entries.map(({ name, runtime, limit, only, without = [] }) => ({
  name: [
    `${only ? `${only} of ` : ''}${name} (${runtime}): at most ${limit} B, with the ${emptyFile} B of an empty file`,
    ...without.map((dependency) => `without ${dependency}`),
  ].join(', '),
  // A check has to name a file; the bundle is that of the entry.
  path: '../package.json',
  limit: `${limit - emptyFile} B`,
  gzip: true,
  modifyRolldownConfig: (bundling: Bundling) => ({
    ...bundling,
    input: only ? 'part' : name,
    // As in an app, whose chunks may export more than the entry does.
    preserveEntrySignatures: 'allow-extension',
    plugins: [...(bundling.plugins ?? []), loadedAtOnce, ...(only ? [partOf(name, only)] : [])],
    external: [...without, ...(runtime === 'node' ? [/^node:/] : [])],
    resolve: { conditionNames: ['@document-vault/source', runtime, 'import', 'default'] },
  }),
}));
