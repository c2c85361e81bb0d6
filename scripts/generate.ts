/**
 * Writes every generated file, or with `--check` fails when one of them is not what its source says
 * it should be. The sources are the contract in `openapi/` and the server's table of options.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { configTable } from '../packages/server/src/config/options.ts';
import { choices, consoleLists, sdkLists } from './generate-choices.ts';
import { webhookEventTypes } from './generate-events.ts';
import { webhookFixtures } from './generate-fixtures.ts';
import { graphqlSources } from './generate-graphql.ts';
import { resultTypes } from './generate-results.ts';
import { sharedRules } from './generate-rules.ts';
import { operationFacts, testContract } from './generate-test-contract.ts';
import { requestValidators } from './generate-validators.ts';
import { header } from './typescript-printer.ts';

const root = new URL('../', import.meta.url);
const contractUrl = new URL('openapi/v1.json', root);
const schemaUrl = new URL('openapi/schema.graphql', root);
const rulesUrl = new URL('openapi/rules/', root);
const graphqlFolder = new URL('packages/sdk/src/graphql/documents/', root);
const optionsPath = 'packages/server/docs/options.md';

interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The REST types as one side sees them. A property with a default may be left out by the client that
 * sends it, and is always there for the server, whose validation fills it in.
 */
async function restTypes(side: 'client' | 'server'): Promise<string> {
  const source = side === 'client' ? await requestsAlone() : contractUrl;
  const ast = await openapiTypescript(source, { defaultNonNullable: side === 'server' });
  // Two spaces, as elsewhere: four are a fifth of the characters that every compiler would read.
  const text = astToString(ast).replace(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2));
  return `${header}\n${side === 'client' ? text.replace(absent, '') : text}`;
}

/** What is not there need not be said: no method of these, no parameters, no known headers. */
const absent =
  /^ *((get|put|post|delete|options|head|patch|trace|header|cookie)\?: never;|headers: \{\n *\[name: string\]: unknown;\n *\};)\n/gm;

/**
 * The contract without the parts that neither type a client's call nor appear in an editor: headers of
 * responses, the requests that the service sends, descriptions of operations. They are more than half of
 * the types, and every compiler would read them.
 */
async function requestsAlone(): Promise<OpenAPI3> {
  const contract = JSON.parse(await readFile(contractUrl, 'utf8'), (_, value) => {
    for (const response of Object.values(value?.responses ?? {})) {
      delete (response as { headers?: unknown }).headers;
    }
    return value;
  });
  const { webhooks: _, components, paths, ...rest } = contract;
  const { parameters, responses } = components;
  const bare = JSON.parse(JSON.stringify({ paths, parameters, responses }), (key, value) =>
    typeof value === 'string' && /^(description|summary)$/.test(key) ? undefined : value,
  );
  return {
    ...rest,
    paths: bare.paths,
    components: { ...components, ...bare, paths: undefined, headers: undefined },
  };
}

/** The contract without whitespace, so that the server carries it wherever it is installed. */
async function contractJson(): Promise<string> {
  return `${JSON.stringify(JSON.parse(await readFile(contractUrl, 'utf8')))}\n`;
}

/** The GraphQL schema, so that the server carries it wherever it is installed. */
async function schemaJson(): Promise<string> {
  return `${JSON.stringify({ sdl: await readFile(schemaUrl, 'utf8') })}\n`;
}

/** The page of the server with the table of its options. */
async function optionsPage(): Promise<string> {
  const text = await readFile(new URL(optionsPath, root), 'utf8');
  return text.replace(
    /(<!-- options: [^>]*-->\n).*(<!-- \/options -->)/s,
    (_, start: string, end: string) => `${start}\n${configTable()}\n\n${end}`,
  );
}

async function generatedFiles(): Promise<GeneratedFile[]> {
  const graphql = await graphqlSources(schemaUrl, graphqlFolder);
  const shared = ['packages/server/src/generated', 'packages/testing/src/generated'];
  return [
    ...(await Promise.all(shared.map((target) => sharedRules(rulesUrl, target)))).flat(),
    ...(await sharedRules(rulesUrl, 'packages/sdk/src/generated', ['names.ts'])),
    ...(await sharedRules(rulesUrl, 'packages/webhook-verify/src/generated', [
      'edits.ts',
      'webhook-secrets.ts',
    ])),
    ...(await Promise.all(shared.map((target) => requestValidators(contractUrl, target)))).flat(),
    { path: 'packages/sdk/src/generated/openapi.ts', text: await restTypes('client') },
    {
      path: 'packages/sdk/src/generated/types.ts',
      text: await resultTypes(contractUrl),
    },
    { path: 'packages/server/src/generated/openapi.ts', text: await restTypes('server') },
    { path: 'packages/server/src/generated/contract.json', text: await contractJson() },
    { path: 'packages/server/src/generated/schema.json', text: await schemaJson() },
    {
      path: 'packages/webhook-verify/src/generated/events.ts',
      text: await webhookEventTypes(contractUrl),
    },
    {
      path: 'packages/webhook-verify/src/generated/fixtures.ts',
      text: await webhookFixtures(contractUrl),
    },
    {
      path: 'packages/console/src/generated/choices.ts',
      text: `${header}\n${await choices(contractUrl, consoleLists)}`,
    },
    {
      path: 'packages/sdk/src/generated/choices.ts',
      text: `${header}\n${await choices(contractUrl, sdkLists)}`,
    },
    { path: 'packages/sdk/src/generated/graphql.ts', text: graphql.types },
    { path: 'packages/sdk/src/generated/graphql-documents.ts', text: graphql.documents },
    {
      path: 'packages/testing/src/generated/test-contract.json',
      text: await testContract(contractUrl),
    },
    { path: 'packages/sdk/src/generated/operations.ts', text: await operationFacts(contractUrl) },
    { path: 'packages/sdk/schema.graphql', text: await readFile(schemaUrl, 'utf8') },
    { path: optionsPath, text: await optionsPage() },
  ];
}

async function currentText(path: string): Promise<string | undefined> {
  try {
    return await readFile(new URL(path, root), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function write({ path, text }: GeneratedFile): Promise<void> {
  const file = fileURLToPath(new URL(path, root));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

const check = process.argv.includes('--check');

/** Returns the files that differ from their sources. Writes them, unless they are only checked. */
async function update(files: readonly GeneratedFile[]): Promise<string[]> {
  const stale: string[] = [];
  for (const file of files) {
    if ((await currentText(file.path)) === file.text) continue;
    stale.push(file.path);
    if (check) continue;
    await write(file);
    console.log(`wrote ${relative('.', file.path)}`);
  }
  return stale;
}

const stale = await update(await generatedFiles());
if (check && stale.length > 0) {
  console.error('Out of date (run `npm run generate`):');
  for (const path of stale) console.error(`  ${path}`);
  process.exitCode = 1;
}
