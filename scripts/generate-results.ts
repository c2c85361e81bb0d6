/**
 * Writes the public types of the SDK: a plain interface for every schema that an operation takes or
 * returns, and for the query of every list. Editors show these names, and compilers read them faster
 * than types computed from the whole contract.
 */
import { readFile } from 'node:fs/promises';
import {
  type Describe,
  declaration,
  header,
  interfaceText,
  literal,
  type Schema,
  type Schemas,
  schemaNamed,
} from './typescript-printer.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Schema;
}

interface Contract {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId: string; parameters?: object[] }>>>
  >;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** Schemas that every method hides: lists are `Page<T>`, and the session sends its own tokens. */
const hidden = /(Page|^RefreshRequest|^LogoutRequest|^Error|^WebhookEvent)$/;

/** The event union keeps its computed type: 22 interfaces that `webhook-verify` publishes already. */
const eventUnion = `/** An event as it is sent to webhooks; \`type\` discriminates the 22 kinds. */
// \`| never\` keeps the name of the type in editors.
export type WebhookEvent = components['schemas']['Event'] | never;
`;

const pageQuery = `/** Where a list begins, and how large its pages are. */
export interface PageQuery {
  /** Number of the first page, from 1. @default 1 */
  page?: number;
  /** Items per page, 1 to 100. @default 20 for one page, 100 when iterating */
  pageSize?: number;
}
`;

/** The text of the SDK's `generated/types.ts`. */
export async function resultTypes(contractUrl: URL): Promise<string> {
  const text = await readFile(contractUrl, 'utf8');
  const contract: Contract = JSON.parse(text.replaceAll('schemas/Event"', 'schemas/WebhookEvent"'));
  const { Event: event = {}, ...others } = contract.components.schemas;
  const schemas = { ...others, WebhookEvent: event };
  const names = reachable(contract).filter((name) => !hidden.test(name));
  const declarations = names.toSorted().map((name) => {
    const schema = schemaNamed(name, schemas);
    const description = schema.description ?? name;
    return declaration(name, { ...schema, description }, describer(schemas, request.test(name)));
  });
  return [
    header,
    "import type { components } from './openapi.ts';\n",
    ...declarations,
    eventUnion,
    pageQuery,
    ...queries(contract, schemas),
  ].join('\n');
}

/** Names of the schemas that operations refer to, directly or through others, and those of errors. */
function reachable({ paths, components }: Contract): string[] {
  const found = new Set<string>();
  const open: unknown[] = [paths, components.schemas.Error];
  while (open.length > 0) {
    for (const [, name = ''] of JSON.stringify(open.pop()).matchAll(/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      if (name !== 'WebhookEvent') open.push(components.schemas[name]);
    }
  }
  return [...found];
}

/** Schemas of requests: their lengths are limits that the caller has to keep. */
const request = /^(Create|Update|Delete|Test|Register|Login)(?!d)/;

/** The query of each list; `search` of vaults is a method with arguments of its own. */
function queries({ paths, components }: Contract, schemas: Schemas): string[] {
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, parameters = [] }) => {
      const [, verb, noun] = /^(list|get)(?:Document(?=S))?(.*)$/.exec(operationId) ?? [];
      if (noun === undefined) return [];
      const own = parameters
        .map((parameter) => resolve(components.parameters, parameter))
        .filter((parameter) => parameter.in === 'query' && !/^page/.test(parameter.name));
      const properties = own.map(({ name, description, schema }) => [
        name,
        { ...schema, description },
      ]);
      const isList = verb === 'list';
      // The client takes `content` as an option of the call.
      if (!isList && own.every((parameter) => parameter.name === 'content')) return [];
      const plural = noun.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
      const name = plural.replace('api', 'API').replace('oauth', 'OAuth');
      const about = isList
        ? `Filters and order of a list of ${name}`
        : `What to return of an ${name}`;
      const schema = { description: `${about}.`, properties: Object.fromEntries(properties) };
      const describe = describer(schemas, true);
      return isList
        ? interfaceText(`List${noun}`, schema, { base: 'PageQuery', describe })
        : interfaceText(`Get${noun}`, schema, { describe });
    });
}

function resolve(parameters: Readonly<Record<string, Parameter>>, parameter: object): Parameter {
  const { $ref } = parameter as { $ref?: string };
  const resolved = $ref ? parameters[$ref.split('/').at(-1) ?? ''] : (parameter as Parameter);
  if (!resolved) throw new Error(`${$ref} is no parameter`);
  return resolved;
}

/**
 * Describes a property with what its schema says beyond the type.
 *
 * @param limits - whether lengths are described
 */
function describer(schemas: Schemas, limits: boolean): Describe {
  return (schema) => {
    const { format, minLength, maxLength, minItems, maxItems } = schema;
    const target = schema.$ref?.split('/').at(-1) ?? '';
    const length = range(minLength, maxLength, 'characters') ?? range(minItems, maxItems, 'items');
    return [
      schema.description ?? schemas[target]?.description ?? '',
      ...(format === 'date-time' ? ['As ISO 8601.'] : []),
      ...(limits && length ? [length] : []),
      ...(schema.default === undefined ? [] : [`@default ${literal(schema.default)}`]),
    ].join(' ');
  };
}

function range(min = 0, max: number | undefined, unit: string): string | undefined {
  if (max === undefined) return undefined;
  const most = max.toLocaleString('en');
  return min > 0 ? `${min} to ${most} ${unit}.` : `At most ${most} ${unit}.`;
}
