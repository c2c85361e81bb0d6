import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, inject, test } from 'vitest';

const { project, packages } = inject('installation');
const dual = [packages.sdk, packages['webhook-verify']];
const entries = dual.flatMap((installed) => installed.entries);

/** What the compiler shows for results: plain names, which a reader can look up. */
const results: Readonly<Record<string, string>> = {
  "client.vaults.get('1')": 'Vault',
  'client.vaults.list()': 'Page<Vault>',
  "client.vaults.get('1').withResponse()": 'ApiResult<Vault>',
  "client.vaults.delete('1')": 'void',
  "client.documents.get('1')": 'DocumentWithContent',
  "client.shares.create('1')": 'CreatedShare',
  "client.documents.download('1', { cipher })": 'DecryptedDocument',
  "client.shares.open('1')": 'SharedDocument',
  'client.instances.statistics()': 'InstanceStatistics',
  'client.users.me()': 'CurrentUser',
  "client.webhooks.deliveries.get('1', '2')": 'DeliveryDetail',
  'client.openapi()': 'OpenApiDocument',
  "createGraphql(client).vault('1')": 'Vault',
  'createGraphql(client).webhooks()': 'Page<Webhook>',
};

/** Stands on MSW, an ES module alone, which `node16` lets no CommonJS file import. */
const asModule = '@document-vault/sdk/testing';

const programOf = (imported: readonly string[]): string =>
  [
    ...imported.map((entry, index) => `import * as entry${index} from '${entry}';`),
    `export const entries = [${imported.map((_, index) => `entry${index}`)}];`,
    `import { DocumentVault, type Vault, isVaultError } from '@document-vault/sdk';`,
    `import { createCipher } from '@document-vault/sdk/crypto';`,
    `import { createGraphql } from '@document-vault/sdk/graphql';`,
    `import { fixture } from '@document-vault/webhook-verify/fixtures';`,
    `export const name: string = fixture('vault.created').data.object.name;`,
    `// @ts-expect-error a number it is not`,
    `export const id: number = fixture('vault.created').id;`,
    `export async function use(): Promise<Vault | undefined> {`,
    `  const client = new DocumentVault({ baseUrl: 'https://vault.example.com', apiKey: 'k' });`,
    `  const cipher = await createCipher({ passphrase: 'p' });`,
    `  for await (const { fileName } of client.documents.list({ pageSize: 5 })) fileName.trim();`,
    `  // @ts-expect-error the property does not exist`,
    `  await client.vaults.create({ name: 'a', colour: 'red' });`,
    `  // @ts-expect-error exactOptionalPropertyTypes: undefined is not the same as left out`,
    `  await client.vaults.update('1', { name: undefined });`,
    `  try {`,
    ...Object.keys(results).map((call, index) => `    const result${index} = await ${call};`),
    `    return result0;`,
    `  } catch (error) {`,
    `    if (isVaultError(error)) error.path?.trim();`,
    `    return undefined;`,
    `  }`,
    `}`,
  ].join('\n');

async function compile(kinds: string[], options: ts.CompilerOptions): Promise<ts.Program> {
  const files = kinds.map((kind) => join(project, `consumer.${kind}`));
  for (const file of files) {
    const isRequired = file.endsWith('.cts') && options.module === ts.ModuleKind.Node16;
    await writeFile(
      file,
      programOf(entries.filter((entry) => !(isRequired && entry === asModule))),
    );
  }
  return ts.createProgram(files, {
    ...options,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.asynciterable.d.ts'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: false,
    // The compiler's own declarations are not in question.
    skipDefaultLibCheck: true,
  });
}

/** Every error, also in the declarations of what the packages depend on. */
function problemsOf(compiled: ts.Program): string[] {
  return ts.getPreEmitDiagnostics(compiled).map(({ file, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n');
    return `${file?.fileName ?? ''}: ${text}`;
  });
}

/** The types of the constants `result…`, as an editor shows them. */
function shownTypes(compiled: ts.Program): Record<string, string> {
  const checker = compiled.getTypeChecker();
  const shown: Record<string, string> = {};
  const visit = (node: ts.Node): void => {
    if (
      ts.isVariableDeclaration(node) &&
      node.initializer &&
      ts.isAwaitExpression(node.initializer)
    ) {
      const call = node.initializer.expression.getText();
      shown[call] = checker.typeToString(checker.getTypeAtLocation(node));
    }
    node.forEachChild(visit);
  };
  for (const file of compiled.getRootFileNames()) {
    const source = compiled.getSourceFile(file);
    if (source) visit(source);
  }
  return shown;
}

describe('types for consumers', () => {
  const { ESNext, Node16, NodeNext } = ts.ModuleKind;
  const resolutions: [string, string[], ts.CompilerOptions][] = [
    ['node16', ['mts', 'cts'], { module: Node16 }],
    ['nodenext', ['mts', 'cts'], { module: NodeNext }],
    ['bundler', ['ts'], { module: ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
  ];

  test.each(resolutions)(
    'declarations compile under %s, including those of dependencies',
    async (_, kinds, options) => {
      const compiled = await compile(kinds, options);
      expect(problemsOf(compiled)).toEqual([]);
      expect(shownTypes(compiled)).toMatchObject(results);
      const read = compiled.getSourceFiles().map(({ fileName }) => fileName);
      // The condition of this repository is not for users.
      expect(
        read.filter((file) => file.includes('/document-vault/') && /\/src\//.test(file)),
      ).toEqual([]);
    },
  );
});
