import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** Five kinds of calls, ten of each, as a consumer writes them. */
const calls = Array.from(
  { length: 10 },
  (_, n) => `
  const vault${n}: string = (await client.vaults.get(id)).name;
  const count${n}: number = (await client.documents.list({ vaultId: id })).data.length;
  const made${n}: string = (await client.vaults.create({ name: 'Taxes' })).id;
  const token${n}: string = (await client.shares.create(id, { maxAccessCount: 3 })).shareToken;
  for await (const webhook of client.webhooks.list()) console.log(webhook.url);`,
).join('');

const consumer = `
  import { DocumentVault } from '@document-vault/sdk';
  const client = new DocumentVault({ baseUrl: 'https://vault.example', apiKey: 'key' });
  export async function use(id: string) {${calls}
  }`;

/** What the compiler makes to check one file: the same on every machine. */
function cost(text: string) {
  const path = fileURLToPath(new URL('consumer.ts', import.meta.url));
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    customConditions: ['@document-vault/source'],
    allowImportingTsExtensions: true,
    strict: true,
    noEmit: true,
    types: [],
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, languageVersion) =>
    name === path
      ? ts.createSourceFile(name, text, languageVersion)
      : getSourceFile(name, languageVersion);
  const program = ts.createProgram([path], options, host);
  const problems = program.getSemanticDiagnostics(program.getSourceFile(path));
  expect(problems.map(({ messageText }) => messageText)).toEqual([]);
  return { types: program.getTypeCount(), instantiations: program.getInstantiationCount() };
}

describe('package, types: what a compiler has to do for a consumer', () => {
  test('little for 50 calls: results are interfaces with names', () => {
    const empty = cost('export {};');
    const used = cost(consumer);
    expect(used.types - empty.types).toBeLessThan(600);
    expect(used.instantiations - empty.instantiations).toBeLessThan(200);
  }, 60_000);

  test('more for the typed client, which shows that it would be noticed', () => {
    const used = cost(`
      import type { HttpClient } from '@document-vault/sdk/http';
      export const read = (http: HttpClient) => http.GET('/api/v1/users/me');`);
    expect(used.instantiations).toBeGreaterThan(1_000);
  }, 60_000);

  test('and little to read for it', () => {
    const generated = new URL('../src/generated/openapi.ts', import.meta.url);
    expect(readFileSync(generated, 'utf8').length).toBeLessThan(200_000);
  });
});
