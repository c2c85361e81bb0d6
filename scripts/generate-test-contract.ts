/**
 * Writes the parts of the contract that the client and the test kit read. The client: what a call does differently
 * because of its operation. The test kit: each operation with its paths, credentials and parameters, and the data of an
 * example of each event. Validators of requests are a module of their own.
 */
import { readFile } from 'node:fs/promises';
import { header } from './typescript-printer.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

interface OperationObject {
  readonly operationId: string;
  readonly security: readonly Json[];
  readonly 'x-required-role'?: string;
  /** The windows that requests count in; absent: the hour and the minute. */
  readonly 'x-rate-limit'?: string;
  /** Repeating a call whose response was lost could do its work twice. */
  readonly 'x-not-repeatable'?: true;
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

/** The text of the test kit's `generated/test-contract.json`. */
export async function testContract(contractUrl: URL): Promise<string> {
  const contract = await read(contractUrl);
  const operations = placesOf(contract).map((place) => toOperation(contract, place));
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

const factsType = `/** What a call does differently because of its operation. */
export interface OperationFacts {
  /** Sent without credentials: the rate limit is that of the address. */
  readonly anonymous?: true;
  /** The call must not be repeated when its response was lost, as its work may have been done. */
  readonly notRepeatable?: true;
  /** A success has the status 204 and no body, as that of each DELETE has. */
  readonly empty?: true;
  /** A success is bytes, which the caller reads. */
  readonly bytes?: true;
  /** Names of the parameters of the query. */
  readonly query?: readonly string[];
}
`;

/** The text of the SDK's `generated/operations.ts`: the operations whose calls differ from others. */
export async function operationFacts(contractUrl: URL): Promise<string> {
  const contract = await read(contractUrl);
  const rows = placesOf(contract).flatMap((place) => {
    const facts = Object.entries(factsOf(contract, place)).filter(([, value]) => value);
    if (facts.length === 0) return [];
    const values = facts.map(([name, value]) =>
      Array.isArray(value)
        ? `${name}: [${value.map((one) => `'${one}'`).join(', ')}]`
        : `${name}: true`,
    );
    return `  '${place.method.toUpperCase()} ${place.path}': { ${values.join(', ')} },`;
  });
  return [
    header,
    factsType,
    '/** Operations by method and path. An operation without facts has no row, a DELETE is `empty` without one. */',
    `export const operations: Readonly<Record<string, OperationFacts>> = {\n${rows.join('\n')}\n};\n`,
  ].join('\n');
}

function factsOf(contract: Contract, { method, operation }: Place) {
  const query = parametersOf(contract, operation).filter((parameter) => parameter.in === 'query');
  return {
    anonymous: operation.security.length === 0,
    notRepeatable: operation['x-not-repeatable'],
    empty: method !== 'delete' && '204' in operation.responses,
    // Only contents have ranges.
    bytes: '206' in operation.responses,
    query: query.length > 0 && query.map(({ name }) => name),
  };
}

async function read(contractUrl: URL): Promise<Contract> {
  return JSON.parse(await readFile(contractUrl, 'utf8'));
}

function placesOf({ paths }: Contract): Place[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}

interface Place {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

function toOperation(contract: Contract, { path, method, operation }: Place) {
  const { requestBody, 'x-rate-limit': rateLimit } = operation;
  const aliases = Object.entries(contract['x-path-aliases']);
  return {
    id: operation.operationId,
    method,
    paths: [path, ...aliases.filter(([, to]) => to === path).map(([alias]) => alias)],
    security: operation.security,
    ...(operation['x-required-role'] && { role: operation['x-required-role'] }),
    parameters: parametersOf(contract, operation)
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

function parametersOf(contract: Contract, { parameters = [] }: OperationObject): Parameter[] {
  return parameters.map((parameter) =>
    '$ref' in parameter ? resolve(contract, parameter.$ref) : parameter,
  );
}

function resolve({ components }: Contract, $ref: string): Parameter {
  const parameter = components.parameters[$ref.split('/').at(-1) ?? ''];
  if (!parameter) throw new Error(`${$ref} is no parameter`);
  return parameter;
}
