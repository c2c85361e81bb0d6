/**
 * Writes the parts of the contract that the SDK's test kit reads: each operation with its paths, credentials
 * and parameters, and the data of an example of each event. Validators of requests are a module of their own.
 */
import { readFile } from 'node:fs/promises';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

interface OperationObject {
  readonly operationId: string;
  readonly security: Json;
  readonly 'x-required-role'?: string;
  /** The windows that requests count in; absent: the hour and the minute. */
  readonly 'x-rate-limit'?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
}

interface Content {
  readonly 'application/json'?: {
    readonly example?: { readonly data: Json };
  };
}

interface Contract {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly 'x-path-aliases': Readonly<Record<string, string>>;
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly requestBody: { readonly content: Content } } }>
  >;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

/** The text of the SDK's `generated/test-contract.json`. */
export async function testContract(contractUrl: URL): Promise<string> {
  const contract = JSON.parse(await readFile(contractUrl, 'utf8')) as Contract;
  const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      toOperation(contract, { path, method, operation }),
    ),
  );
  const events = Object.entries(contract.webhooks).map(([type, { post }]) => {
    const { example } = post.requestBody.content['application/json'] ?? {};
    if (example === undefined) throw new Error(`${type} has no example`);
    return [type, example.data];
  });
  const { openapi, info } = contract;
  return `${JSON.stringify({
    openapi,
    info: { title: info.title, version: info.version },
    operations,
    events: Object.fromEntries(events),
  })}\n`;
}

/** The text of the SDK's `generated/operation-id.ts`: the names of the operations, for the types of the kit. */
export async function operationIds(contractUrl: URL): Promise<string> {
  const { paths } = JSON.parse(await readFile(contractUrl, 'utf8')) as Contract;
  const ids = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => `  | '${operationId}'`),
  );
  return [
    '// Generated from openapi/ by `npm run generate`. Do not edit.\n',
    '/** The name of an operation in the contract, such as `createVault`. */',
    `export type OperationId =\n${ids.join('\n')};\n`,
  ].join('\n');
}

interface Place {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

function toOperation(contract: Contract, { path, method, operation }: Place) {
  const { requestBody, 'x-rate-limit': rateLimit } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? resolve(contract, parameter.$ref) : parameter,
  );
  const aliases = Object.entries(contract['x-path-aliases']);
  return {
    id: operation.operationId,
    method,
    paths: [path, ...aliases.filter(([, to]) => to === path).map(([alias]) => alias)],
    security: operation.security,
    ...(operation['x-required-role'] && { role: operation['x-required-role'] }),
    parameters: parameters
      .filter((parameter) => parameter.in !== 'path')
      .map(({ name, in: place }) => ({ name, in: place })),
    body: bodyOf(requestBody),
    ...(rateLimit && { rateLimit }),
    status: Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
  };
}

/** How an operation takes its body: as JSON that is required or optional, as bytes, or not at all. */
function bodyOf(requestBody: OperationObject['requestBody']) {
  if (requestBody === undefined) return 'none';
  if (!requestBody.content['application/json']) return 'bytes';
  return requestBody.required ? 'required' : 'optional';
}

function resolve({ components }: Contract, $ref: string): Parameter {
  const parameter = components.parameters[$ref.split('/').at(-1) ?? ''];
  if (!parameter) throw new Error(`${$ref} is no parameter`);
  return parameter;
}
