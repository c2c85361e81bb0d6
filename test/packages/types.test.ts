import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, inject, test } from 'vitest';

const { project, packages } = inject('installation');

/** The compilers that the packages support: the oldest one and the installed one. */
const oldest: typeof ts = createRequire(import.meta.url)('typescript-5.9');
const compilers = [oldest, ts];

const dual = [packages.sdk, packages.testing, packages['webhook-verify']];
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

/** Its declarations import those of MSW, an ES module, which `node16` lets no CommonJS file import. */
const testKit = '@document-vault/testing';

const programOf = (imported: readonly string[]): string =>
  [
    ...imported.map((entry, index) => `import * as entry${index} from '${entry}';`),
    `export const entries = [${imported.map((_, index) => `entry${index}`)}];`,
    `import { DocumentVault, type Vault, isVaultError } from '@document-vault/sdk';`,
    `import { createCipher } from '@document-vault/sdk/crypto';`,
    `import { createGraphql } from '@document-vault/sdk/graphql';`,
    `import { createHttpClient } from '@document-vault/sdk/http';`,
    `import { fixture } from '@document-vault/webhook-verify/testing';`,
    `export const name: string = fixture('vault.created').data.object.name;`,
    `// @ts-expect-error a number it is not`,
    `export const id: number = fixture('vault.created').id;`,
    `export const getOf = (client: DocumentVault) => createHttpClient(client).GET;`,
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

/** A program of a consumer, and the compiler options that matter. */
interface Consumer {
  readonly compiler: typeof ts;
  /** Relative to the project. Its extension determines the module format. */
  readonly file: string;
  readonly text: string;
  readonly options: ts.CompilerOptions;
}

async function compile({ compiler, file, text, options }: Consumer): Promise<ts.Program> {
  const path = join(project, file);
  await writeFile(path, text);
  return compiler.createProgram([path], {
    target: compiler.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.asynciterable.d.ts'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    // Finds types that a declaration cannot name.
    declaration: true,
    noEmit: true,
    skipLibCheck: false,
    // The compiler's own declarations are not in question.
    skipDefaultLibCheck: true,
    ...options,
  });
}

/** Every error, also in the declarations of what the packages depend on. */
function problemsOf({ compiler }: Pick<Consumer, 'compiler'>, compiled: ts.Program): string[] {
  const problems = [
    ...compiler.getPreEmitDiagnostics(compiled),
    ...compiled.getDeclarationDiagnostics(),
  ];
  return problems.map(({ file, code, messageText }) => {
    const text = compiler.flattenDiagnosticMessageText(messageText, '\n');
    return `${file?.fileName ?? ''}: TS${code} ${text}`;
  });
}

/** The types of the constants `result…`, as an editor shows them. */
function shownTypes({ compiler }: Pick<Consumer, 'compiler'>, compiled: ts.Program) {
  const checker = compiled.getTypeChecker();
  const shown: Record<string, string> = {};
  const visit = (node: ts.Node): void => {
    if (
      compiler.isVariableDeclaration(node) &&
      node.initializer &&
      compiler.isAwaitExpression(node.initializer)
    ) {
      const call = node.initializer.expression.getText();
      shown[call] = checker.typeToString(checker.getTypeAtLocation(node));
    }
    compiler.forEachChild(node, visit);
  };
  for (const file of compiled.getRootFileNames()) {
    const source = compiled.getSourceFile(file);
    if (source) visit(source);
  }
  return shown;
}

const { ESNext, Node16, NodeNext } = ts.ModuleKind;
const bundler = { module: ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };

const resolutions: readonly (readonly [string, string, ts.CompilerOptions])[] = [
  ['node16', 'mts', { module: Node16 }],
  ['node16', 'cts', { module: Node16 }],
  ['nodenext', 'mts', { module: NodeNext }],
  ['nodenext', 'cts', { module: NodeNext }],
  ['bundler', 'ts', bundler],
];

describe.each(compilers.map((compiler) => ({ compiler, version: compiler.version })))(
  'types for consumers with TypeScript $version',
  ({ compiler }) => {
    test.each(resolutions)(
      'declarations compile under %s in a .%s file, including those of dependencies',
      async (name, kind, options) => {
        const isRequired = kind === 'cts' && name === 'node16';
        const text = programOf(entries.filter((entry) => !(isRequired && entry === testKit)));
        const compiled = await compile({ compiler, file: `consumer.${kind}`, text, options });
        expect(problemsOf({ compiler }, compiled)).toEqual([]);
        expect(shownTypes({ compiler }, compiled)).toMatchObject(results);
        const read = compiled.getSourceFiles().map(({ fileName }) => fileName);
        // The condition of this repository is not for users.
        expect(
          read.filter((file) => file.includes('/document-vault/') && /\/src\//.test(file)),
        ).toEqual([]);
      },
    );

    test.each(resolutions.filter(([, kind]) => kind !== 'cts'))(
      'a server without the library of the DOM compiles under %s in a .%s file',
      async (_, kind, options) => {
        const text = [
          `import { DocumentVault } from '@document-vault/sdk';`,
          `import { createCipher } from '@document-vault/sdk/crypto';`,
          `import { createServer } from 'node:http';`,
          `import { createVerifier, nodeReceiver } from '@document-vault/webhook-verify';`,
          `const verifier = createVerifier({ secrets: 's'.repeat(32) });`,
          `createServer(nodeReceiver(verifier, {}));`,
          `createServer((request) => verifier.verify('{}', request.headers));`,
          `export const others = [DocumentVault, createCipher];`,
        ].join('\n');
        const nodeTypes = { types: ['node'], typeRoots: [resolve('node_modules/@types')] };
        const withoutDom = { ...options, ...nodeTypes, lib: ['lib.es2022.d.ts'] };
        const file = `no-dom.${kind}`;
        const compiled = await compile({ compiler, file, text, options: withoutDom });
        expect(problemsOf({ compiler }, compiled)).toEqual([]);
      },
    );

    test('the test kit compiles in CommonJS under node16 with skipLibCheck, and without it MSW is an error', async () => {
      const text = [
        `import { createTestVault } from '${testKit}';`,
        `export const service = createTestVault({ baseUrl: 'https://vault.example.com' });`,
        `// @ts-expect-error - times is a number`,
        `service.fault('rateLimit', { times: 'twice' });`,
      ].join('\n');
      const compileWith = async (skipLibCheck: boolean) => {
        const options = { module: Node16, skipLibCheck };
        const compiled = await compile({ compiler, file: 'kit.cts', text, options });
        return problemsOf({ compiler }, compiled);
      };
      expect(await compileWith(true)).toEqual([]);
      const problems = await compileWith(false);
      expect(problems.length).toBeGreaterThan(0);
      for (const problem of problems)
        expect(problem).toMatch(/testing\/dist\/index\.d\.cts: TS(1479|1541)/);
    });

    test.each([
      ['nodenext', 'mts', { module: NodeNext }],
      ['nodenext', 'cts', { module: NodeNext }],
      ['bundler', 'ts', bundler],
    ] as const)('the server compiles under %s in a .%s file', async (_, kind, options) => {
      const text = [
        `import { startServer, type RunningServer } from '@document-vault/server';`,
        `import { startTestServer } from '@document-vault/server/testing';`,
        `export const running: Promise<RunningServer> = startServer();`,
        `export async function use() {`,
        `  const service = await startTestServer({ requestsPerMinute: { free: 1 } });`,
        `  const vault = await service.account.createVault({ name: 'Taxes' });`,
        `  // @ts-expect-error - the contract has no operation listVault`,
        `  service.fault('error', { operations: 'listVault' });`,
        `  return { service, vault };`,
        `}`,
      ].join('\n');
      const nodeTypes = { types: ['node'], typeRoots: [resolve('node_modules/@types')] };
      const withLibraries = { ...options, ...nodeTypes, skipLibCheck: true };
      const file = `server.${kind}`;
      const compiled = await compile({ compiler, file, text, options: withLibraries });
      expect(problemsOf({ compiler }, compiled)).toEqual([]);
    });
  },
);
